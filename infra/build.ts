/**
 * Bundles every function in one esbuild run: functions/<subject>/<name>.ts becomes .build/functions/<name>/, a folder
 * that is uploaded as it is. Run by `npm start`, by the tests and, through cdk.json, before every synth.
 */
import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { apiTypesPath, bundleDirectory, sourceMapPath, sourceMapsDirectory } from "./bundling/bundle-directory.ts";
import { type BundledFunctions, bundleFunctions, functionFiles } from "./bundling/bundle-functions.ts";
import { hashInputs } from "./input-hash.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** esbuild's list of the inputs of each bundle; the benchmark and the tests of the bundles read it. */
export const metafilePath = join(root, ".build", "meta.json");

/** Replaces a file atomically, and only if its content differs: a running service may be using the file. */
const writeIfChanged = async (path: string, contents: Uint8Array | string): Promise<void> => {
  const wanted = Buffer.from(contents);
  const present = await readFile(path).catch(() => undefined);
  if (present?.equals(wanted)) return;
  await mkdir(dirname(path), { recursive: true });
  // Written outside the function folders, because their whole content is uploaded.
  const unfinished = join(root, ".build", `unfinished-${process.pid}`);
  await writeFile(unfinished, wanted, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  await rename(unfinished, path);
};

/** Removes the folders and files of functions that no longer exist. */
const removeOthers = async (outdir: string, wanted: ReadonlySet<string>): Promise<void> => {
  for (const path of globSync("*/*", { cwd: outdir }))
    if (!wanted.has(path)) await rm(join(outdir, path), { recursive: true, force: true });
  const folders = new Set([...wanted].map((path) => dirname(path)));
  for (const folder of globSync("*", { cwd: outdir }))
    if (!folders.has(folder)) await rm(join(outdir, folder), { recursive: true, force: true });
};

const writeSourceMaps = async (maps: BundledFunctions["maps"]): Promise<void> => {
  const wanted = new Map([...maps].map(([bundle, map]) => [sourceMapPath(bundle), map] as const));
  for (const [path, map] of wanted) await writeIfChanged(path, map);
  for (const file of globSync(join(sourceMapsDirectory, "*"))) if (!wanted.has(file)) await rm(file, { force: true });
};

/** The hash of the inputs that the bundles were made from. */
const hashPath = join(root, ".build", "inputs.sha256");

const isBuilt = (hash: string): boolean =>
  existsSync(hashPath) &&
  readFileSync(hashPath, "utf8") === hash &&
  existsSync(metafilePath) &&
  existsSync(apiTypesPath) &&
  [...functionFiles(root).keys()].every((name) => existsSync(join(bundleDirectory(name), "bundle.cjs")));

/**
 * Bundles all functions, unless the present bundles were made from the same inputs.
 * @throws Error if a file cannot be bundled, or if an alias no longer matches an import: the bundles would contain the
 *   replaced module again and start more slowly.
 */
export const build = async (): Promise<void> => {
  const hash = hashInputs(root);
  if (isBuilt(hash)) return;
  const outdir = join(root, ".build", "functions");
  // Files are written after all functions were bundled, so that a failed build changes nothing.
  // The console imports what this writes.
  await promisify(execFile)(process.execPath, [join(root, "infra", "bundling", "write-api-types.ts")]);
  const { folders, maps, metafile } = await bundleFunctions(root, functionFiles(root), { isComplete: true });
  const wanted = new Map(
    [...folders].flatMap(([name, folder]) =>
      [...folder].map(([file, contents]) => [join(name, file), contents] as const),
    ),
  );
  for (const [path, contents] of wanted) await writeIfChanged(join(outdir, path), contents);
  await removeOthers(outdir, new Set(wanted.keys()));
  await writeSourceMaps(maps);
  await writeIfChanged(metafilePath, JSON.stringify(metafile));
  await writeIfChanged(hashPath, hash);
};

if (process.argv[1] !== undefined && relative(process.argv[1], fileURLToPath(import.meta.url)) === "") await build();
