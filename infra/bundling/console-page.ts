/**
 * The page `/console`: its sources are functions/console/app/, of which esbuild makes modules that a browser loads as it
 * needs them. Each lazily loaded view is a chunk of its own.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import esbuild, { type Metafile } from "esbuild";
import { toBuildError } from "./build-failure.ts";
import { type FunctionFolder, pageFolders } from "./page.ts";

const SOURCES = "functions/console/app";
export const CONSOLE_ENTRY = `${SOURCES}/main.tsx`;
export const CONSOLE_TEMPLATE = `${SOURCES}/index.html`;

/** Absolute, because a relative address would depend on the path of the view that the page was opened with. */
const ASSETS_PATH = "/console/assets";

/** The browsers of the last two years: the versions of November 2024. */
const BROWSERS = ["chrome131", "edge131", "firefox132", "safari18.1"];

const PLACEHOLDER = "{{assets}}";

type Outputs = Metafile["outputs"];

/** The entry's output, and the outputs that it imports at once. */
const startOutputs = (outputs: Outputs, entry: string): ReadonlySet<string> => {
  const reached = new Set([entry]);
  // The set grows while it is walked.
  for (const output of reached)
    for (const { path, kind } of outputs[output]?.imports ?? []) if (kind === "import-statement") reached.add(path);
  return reached;
};

/** The elements that load the page: styles and all modules of the start in parallel. */
const loadingElements = (outputs: Outputs): string => {
  const [entry, { cssBundle } = {}] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === CONSOLE_ENTRY) ?? [];
  if (entry === undefined) throw new Error(`esbuild made no output of ${CONSOLE_ENTRY}.`);
  const lost = Object.keys(outputs).find((output) => output.endsWith(".css") && output !== cssBundle);
  if (lost !== undefined)
    throw new Error(`The page does not load ${lost}: import styles from ${CONSOLE_ENTRY}, and not from a lazy view.`);
  const address = (output: string) => `${ASSETS_PATH}/${basename(output)}`;
  const [script, ...imported] = [...startOutputs(outputs, entry)].map(address);
  return [
    ...(cssBundle === undefined ? [] : [`<link rel="stylesheet" href="${address(cssBundle)}" />`]),
    ...imported.map((href) => `<link rel="modulepreload" href="${href}" />`),
    `<script type="module" src="${script}"></script>`,
  ].join("\n    ");
};

/** The licence texts of the packages whose code is in the outputs. @throws Error if a package has none */
const licencesOf = (root: string, { outputs }: Metafile): string => {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const packages = new Set(inputs.flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return [...packages]
    .sort()
    .map((directory) => {
      const [file] = globSync("LICEN[CS]E*", { cwd: join(root, directory) }).sort();
      if (file === undefined) throw new Error(`${directory} has no licence text, which must accompany its code.`);
      return `${relative("node_modules", directory)}\n\n${readFileSync(join(root, directory, file), "utf8").trim()}\n`;
    })
    .join("\n\n");
};

export type ConsolePage = {
  /** The files of the page's functions, by function name. */
  folders: ReadonlyMap<string, FunctionFolder>;
  /** esbuild's list of the page's sources and their imports. */
  inputs: Metafile["inputs"];
};

/**
 * Bundles the console.
 * @param root the checkout
 * @throws Error with one sentence per problem, which begins with file, line and column
 */
export const consolePage = async (root: string): Promise<ConsolePage> => {
  const { metafile, outputFiles } = await esbuild
    .build({
      absWorkingDir: root,
      entryPoints: [CONSOLE_ENTRY],
      outdir: join(root, ".build", "console"),
      entryNames: "[name].[hash]",
      chunkNames: "[name].[hash]",
      assetNames: "[name].[hash]",
      publicPath: ASSETS_PATH,
      bundle: true,
      splitting: true,
      minify: true,
      platform: "browser",
      format: "esm",
      target: BROWSERS,
      jsx: "automatic",
      jsxImportSource: "preact",
      legalComments: "none",
      logLevel: "silent",
      metafile: true,
      write: false,
    })
    .catch((error: unknown) => {
      throw toBuildError(error);
    });
  const template = readFileSync(join(root, CONSOLE_TEMPLATE), "utf8");
  if (!template.includes(PLACEHOLDER)) throw new Error(`${CONSOLE_TEMPLATE} does not contain ${PLACEHOLDER}.`);
  const html = template.replace(PLACEHOLDER, loadingElements(metafile.outputs));
  const assets = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  return {
    folders: pageFolders("console", { html, assets, licences: licencesOf(root, metafile) }, { withBrotli: true }),
    inputs: metafile.inputs,
  };
};
