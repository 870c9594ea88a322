/**
 * Bundles every function in one esbuild run: functions/<subject>/<name>.ts becomes .build/functions/<name>/, a folder
 * that is uploaded as it is. Run by `npm start`, by the tests and, through cdk.json, before every synth.
 *
 * A folder has at least two files. bundle.cjs contains the function as CommonJS: an ES module that imports node:http
 * also loads undici through getters, which costs 10 ms. index.mjs loads bundle.cjs and makes Lambda wait until the
 * instance is warm (shared/runtime/prewarm.ts); only an ES module can do that. With these extensions, Node ignores any
 * package.json above the folder. Other files are parts that the function loads on demand.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild, { type Plugin } from "esbuild";
import { lambdaAliases } from "./bundling/bundle-aliases.ts";
import { bundleDirectory } from "./bundling/bundle-directory.ts";
import { docsFiles } from "./bundling/docs-files.ts";
import { slimProviderSdk } from "./bundling/provider-sdk.ts";
import { hashInputs } from "./input-hash.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** esbuild's list of the inputs of each bundle; the benchmark and the tests of the bundles read it. */
export const metafilePath = join(root, ".build", "meta.json");

/** Options that affect a bundle's cold start; docs/performance.md has the measurements. */
export const bundleOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node24",
  format: "cjs",
  mainFields: ["module", "main"] as string[],
  legalComments: "none",
  // Node loads these globals at their first use. The SDK uses ReadableStream (3 ms) only to check the type of a
  // response, and crypto (1 ms) for a random id that it can also make with node:crypto. The service uses node:crypto.
  define: { ReadableStream: "undefined", crypto: "undefined" },
} as const;

const INDEX = `import { createRequire } from "node:module";
const { handler, prewarm } = createRequire(import.meta.url)("./bundle.cjs");
await prewarm();
export { handler };
`;

/** The source files of the functions, by function name. */
const functionFiles = (): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const file of globSync("functions/*/*.ts", { cwd: root })) {
    const name = basename(file, ".ts");
    if (files.has(name)) throw new Error(`Two functions have the name ${name}.`);
    files.set(name, file);
  }
  return files;
};

/**
 * The bundles that functions load on demand, with the source file that functions import. They are separate files: in
 * one bundle, esbuild would wrap every shared module, which costs a cold start more than the late loading saves.
 */
const deferredParts = { "refusals.cjs": "shared/wiring/refusals.ts" } as const;

/** Keeps the dynamic import of a deferred part, so that Node loads the part at run time. */
const deferred = (): Plugin => ({
  name: "deferred",
  setup({ onResolve }) {
    for (const [part, file] of Object.entries(deferredParts)) {
      onResolve({ filter: new RegExp(`/${basename(file, ".ts")}\\.ts$`) }, ({ kind }) =>
        kind === "dynamic-import" ? { path: `./${part}`, external: true } : undefined,
      );
    }
  },
});

const ENTRY = "entry:";

/** Makes each bundle export the function's handler and `prewarm`. */
const entries = (): Plugin => ({
  name: "entries",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${ENTRY}`) }, ({ path }) => ({
      path: path.slice(ENTRY.length),
      namespace: "entry",
    }));
    onLoad({ filter: /.*/, namespace: "entry" }, ({ path }) => ({
      contents: `export { handler } from "./${path}"; export { prewarm } from "./shared/runtime/prewarm.ts";`,
      resolveDir: root,
    }));
  },
});

/** Replaces a file atomically, and only if its content differs: a running service may be using the file. */
const writeIfChanged = async (path: string, contents: Uint8Array | string): Promise<void> => {
  const wanted = Buffer.from(contents);
  const present = await readFile(path).catch(() => undefined);
  if (present?.equals(wanted)) return;
  await mkdir(dirname(path), { recursive: true });
  // Written outside the function folders, because their whole content is uploaded.
  const unfinished = join(root, ".build", `unfinished-${process.pid}`);
  await writeFile(unfinished, wanted);
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

/** The hash of the inputs that the bundles were made from. */
const hashPath = join(root, ".build", "inputs.sha256");

const isBuilt = (hash: string): boolean =>
  existsSync(hashPath) &&
  readFileSync(hashPath, "utf8") === hash &&
  existsSync(metafilePath) &&
  [...functionFiles().keys()].every((name) => existsSync(join(bundleDirectory(name), "bundle.cjs")));

/**
 * Bundles all functions, unless the present bundles were made from the same inputs.
 * @throws Error if a file cannot be bundled, or if an alias no longer matches an import: the bundles would contain the
 *   replaced module again and start more slowly.
 */
export const build = async (): Promise<void> => {
  const hash = hashInputs(root);
  if (isBuilt(hash)) return;
  const outdir = join(root, ".build", "functions");
  const files = functionFiles();
  const { metafile, outputFiles } = await esbuild.build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: {
      ...Object.fromEntries([...files].map(([name, file]) => [`${name}/bundle`, `${ENTRY}${file}`])),
      ...Object.fromEntries(Object.entries(deferredParts).map(([part, file]) => [basename(part, ".cjs"), file])),
    },
    outdir,
    outExtension: { ".js": ".cjs" },
    logLevel: "error",
    metafile: true,
    // Files are written after all functions were bundled, so that a failed build changes nothing.
    write: false,
    plugins: [entries(), deferred(), lambdaAliases(), slimProviderSdk()],
  });
  const contentsOf = new Map(outputFiles.map(({ path, contents }) => [relative(outdir, path), contents]));
  const wanted = new Map<string, Uint8Array | string>();
  for (const name of files.keys()) {
    const bundle = join(name, "bundle.cjs");
    wanted.set(join(name, "index.mjs"), INDEX).set(bundle, contentsOf.get(bundle) ?? "");
    const { imports = [] } = metafile.outputs[relative(root, join(outdir, bundle))] ?? {};
    for (const part of Object.keys(deferredParts))
      if (imports.some(({ path }) => path === `./${part}`)) wanted.set(join(name, part), contentsOf.get(part) ?? "");
  }
  for (const [path, contents] of docsFiles()) wanted.set(path, contents);
  for (const [path, contents] of wanted) await writeIfChanged(join(outdir, path), contents);
  await removeOthers(outdir, new Set(wanted.keys()));
  await writeIfChanged(metafilePath, JSON.stringify(metafile));
  await writeIfChanged(hashPath, hash);
};

if (process.argv[1] !== undefined && relative(process.argv[1], fileURLToPath(import.meta.url)) === "") await build();
