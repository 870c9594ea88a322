/**
 * Bundles every function in one esbuild run: functions/<subject>/<name>.ts becomes .build/functions/<name>/index.cjs,
 * a folder that is uploaded as it is. Run by `npm start`, by the tests and, through cdk.json, before every synth.
 */
import { globSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";
import { lambdaAliases } from "./bundle-aliases.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Where the bundle of a function lies; its handler is `index.handler`. */
export const bundleDirectory = (functionName: string): string => join(root, ".build", "functions", functionName);

/** esbuild's account of what went into each bundle; read by the benchmark and the tests on the bundles. */
export const metafilePath = join(root, ".build", "meta.json");

const entryPoints = (): Record<string, string> => {
  const entries: Record<string, string> = {};
  for (const file of globSync("functions/*/*.ts", { cwd: root })) {
    const name = basename(file, ".ts");
    if (entries[`${name}/index`] !== undefined) throw new Error(`Two functions have the name ${name}.`);
    entries[`${name}/index`] = join(root, file);
  }
  return entries;
};

/**
 * @throws Error where a file does not bundle, or where an alias of an SDK's internal no longer meets anything: the
 *   cold start would silently pay for it again.
 */
export const build = async (): Promise<void> => {
  const outdir = join(root, ".build", "functions");
  await rm(outdir, { recursive: true, force: true });
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: entryPoints(),
    outdir,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    // CommonJS: an ES module that imports node:http loads undici through its getters, 10 ms that nobody uses.
    format: "cjs",
    // By its ending, so that no package.json above the folder has a say.
    outExtension: { ".js": ".cjs" },
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "error",
    metafile: true,
    plugins: [lambdaAliases()],
  });
  await writeFile(metafilePath, JSON.stringify(metafile));
};

if (process.argv[1] !== undefined && relative(process.argv[1], fileURLToPath(import.meta.url)) === "") await build();
