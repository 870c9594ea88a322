/**
 * Bundles functions with esbuild. A function's folder has at least two files. bundle.cjs contains the function as
 * CommonJS: an ES module that imports node:http also loads undici through getters, which costs 10 ms. index.mjs loads
 * bundle.cjs and makes Lambda wait until the instance is warm (shared/runtime/prewarm.ts); only an ES module can do that.
 * With these extensions, Node ignores any package.json above the folder. Other files are parts that the function loads
 * on demand, and a program that starts Node with other flags.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import esbuild, { type Metafile, type PartialMessage, type Plugin } from "esbuild";
import { describeMessage, toBuildError } from "./build-failure.ts";
import { lambdaAliases } from "./bundle-aliases.ts";
import { START_RUNTIME } from "./bundle-directory.ts";
import calledAtStart from "./called-at-start.json" with { type: "json" };
import { compileEarly } from "./compile-early.ts";
import { CONSOLE_ENTRIES, CONSOLE_TEMPLATE, type ConsolePage, consolePage } from "./console-page.ts";
import { docsPage } from "./docs-page.ts";
import type { FunctionFolder } from "./page.ts";
import { slimProviderSdk } from "./provider-sdk.ts";

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
if (process.env.REPORT_NODE_FLAGS)
  process.stdout.write(JSON.stringify({ level: "debug", message: "cold start", nodeFlags: process.execArgv }) + "\\n");
const { handler, prewarm } = createRequire(import.meta.url)("./bundle.cjs");
await prewarm();
export { handler };
`;

/** The source files of the functions, by function name. @throws Error if two functions have the same name */
export const functionFiles = (root: string): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const file of globSync("functions/*/*.ts", { cwd: root })) {
    const name = basename(file, ".ts");
    const other = files.get(name);
    if (other !== undefined) throw new Error(`${other} and ${file} have the same name: rename one of them.`);
    files.set(name, file);
  }
  return files;
};

/**
 * The bundles that functions load on demand, with the source file that functions import. They are separate files: in
 * one bundle, esbuild would wrap every shared module, which costs a cold start more than the late loading saves.
 */
export const deferredParts = {
  "refusals.cjs": "shared/wiring/refusals.ts",
  "sealing-key.cjs": "shared/wiring/sealing-key.ts",
} as const;

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

/** The functions whose cold start has a budget. In others the parentheses would only add bytes until they are measured. */
const COMPILED_EARLY = "functions/plants/";

/** Begins the names of the modules that make each bundle export the function's handler and `prewarm`. */
export const ENTRY = "entry:";

const entries = (root: string): Plugin => ({
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

/** As describeMessage; an entry's name is that of its function's file. */
const describe = (message: PartialMessage): string => {
  const { text = "", location } = message;
  if (location?.file?.startsWith(ENTRY) && text.includes('"handler"'))
    return `${location.file.slice(ENTRY.length)} must export its handler: export const handler = …`;
  return describeMessage(message);
};

/** The page of the console's functions, if any of them is bundled. */
const consoleOf = async (root: string, names: readonly string[]): Promise<ConsolePage> =>
  names.some((name) => name.startsWith("get-console")) ? consolePage(root) : { folders: new Map(), inputs: {} };

/** The sources of the console: its functions do not import them, but are bundled again when one changes. */
const CONSOLE_IMPORTS = [...CONSOLE_ENTRIES, CONSOLE_TEMPLATE].map((path) => ({
  path,
  kind: "import-statement" as const,
}));

const withPages = (inputs: Metafile["inputs"], ofConsole: Metafile["inputs"]): Metafile["inputs"] => {
  const entries = Object.entries(inputs).map(([path, input]) => {
    const isConsole = path.startsWith(`${ENTRY}functions/console/`);
    return [path, isConsole ? { ...input, imports: [...input.imports, ...CONSOLE_IMPORTS] } : input] as const;
  });
  return { ...Object.fromEntries(entries), ...ofConsole };
};

export type BundledFunctions = {
  /** By function name. */
  folders: ReadonlyMap<string, FunctionFolder>;
  /** The source map of each bundle, by the bundle's contents. */
  maps: ReadonlyMap<Uint8Array, string>;
  metafile: Metafile;
};

/**
 * Bundles functions and the parts that they load on demand. Writes no file.
 * @param files the source files of the functions, by function name
 * @param isComplete whether these are all functions; then each alias must match an import
 * @throws Error with one sentence per problem, which begins with file, line and column
 */
export const bundleFunctions = async (
  root: string,
  files: ReadonlyMap<string, string>,
  { isComplete }: { isComplete: boolean },
): Promise<BundledFunctions> => {
  const outdir = join(root, ".build", "functions");
  const bundling = esbuild
    .build({
      ...bundleOptions,
      absWorkingDir: root,
      entryPoints: {
        ...Object.fromEntries([...files].map(([name, file]) => [`${name}/bundle`, `${ENTRY}${file}`])),
        ...Object.fromEntries(Object.entries(deferredParts).map(([part, file]) => [basename(part, ".cjs"), file])),
      },
      outdir,
      outExtension: { ".js": ".cjs" },
      logLevel: "silent",
      // A function without exports would fail at its first cold start.
      logOverride: { "import-is-undefined": "error" },
      metafile: true,
      // Does not change the bundles: the maps stay outside, and the bundles do not name them.
      sourcemap: "external",
      sourcesContent: false,
      write: false,
      plugins: [entries(root), deferred(), lambdaAliases({ mustAllMeet: isComplete }), slimProviderSdk()],
    })
    .catch((error: unknown) => {
      throw toBuildError(error, describe);
    });
  const [{ metafile, outputFiles }, ofConsole] = await Promise.all([bundling, consoleOf(root, [...files.keys()])]);
  const outputs = new Map(outputFiles.map(({ path, contents }) => [relative(outdir, path), contents]));
  const contentsOf = (path: string): Uint8Array => {
    const contents = outputs.get(path);
    if (contents === undefined) throw new Error(`esbuild made no ${path}`);
    return contents;
  };
  const textOf = (path: string): string => Buffer.from(contentsOf(path)).toString();
  for (const [name, file] of files) {
    if (!file.startsWith(COMPILED_EARLY)) continue;
    const path = join(name, "bundle.cjs");
    const { code, map } = compileEarly({ code: textOf(path), map: textOf(`${path}.map`) }, calledAtStart);
    outputs.set(path, Buffer.from(code)).set(`${path}.map`, Buffer.from(map));
  }
  const pageFiles = (name: string): FunctionFolder => {
    if (name === "get-verifier") return new Map([["verify.mjs", readFileSync(join(root, "docs/verify.mjs"))]]);
    return ofConsole.folders.get(name) ?? (name.startsWith("get-docs") ? docsPage().get(name) : undefined) ?? new Map();
  };
  const startRuntime = readFileSync(join(import.meta.dirname, START_RUNTIME));
  const folders = new Map<string, FunctionFolder>();
  for (const name of files.keys()) {
    const bundle = join(name, "bundle.cjs");
    const { imports = [] } = metafile.outputs[relative(root, join(outdir, bundle))] ?? {};
    const parts = Object.keys(deferredParts).filter((part) => imports.some(({ path }) => path === `./${part}`));
    const files = ["bundle.cjs", ...parts].map(
      (file) => [file, contentsOf(file === "bundle.cjs" ? bundle : file)] as const,
    );
    folders.set(
      name,
      new Map<string, Uint8Array | string>([
        ["index.mjs", INDEX],
        [START_RUNTIME, startRuntime],
        ...files,
        ...pageFiles(name),
      ]),
    );
  }
  const maps = [...outputs].flatMap(([path, contents]) =>
    outputs.has(`${path}.map`) ? [[contents, textOf(`${path}.map`)] as const] : [],
  );
  const bundles = Object.entries(metafile.outputs).filter(([path]) => !path.endsWith(".map"));
  const inputs = withPages(metafile.inputs, ofConsole.inputs);
  return { folders, maps: new Map(maps), metafile: { inputs, outputs: Object.fromEntries(bundles) } };
};
