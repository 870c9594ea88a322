/**
 * The page `/console`: its sources are functions/console/app/, of which esbuild makes modules that a browser loads as it
 * needs them: two to start, one for each lazily loaded view, and one that views share (merge-chunks.ts).
 */
import { globSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import esbuild, { type BuildOptions, type Metafile } from "esbuild";
import { toBuildError } from "./build-failure.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { type FunctionFolder, pageFolders } from "./page.ts";

const SOURCES = "functions/console/app";
const FIRST = `${SOURCES}/early.ts`;
const START = `${SOURCES}/main.tsx`;
export const CONSOLE_ENTRIES = [FIRST, START] as const;
export const CONSOLE_TEMPLATE = `${SOURCES}/index.html`;

/** Absolute, because a relative address would depend on the path of the view that the page was opened with. */
const ASSETS_PATH = "/console/assets";

/** The browsers of the last two years: the versions of November 2024. */
const BROWSERS = ["chrome131", "edge131", "firefox132", "safari18.1"];

/** The styles stand below the first words of the page, so that a browser shows these before it has the styles. */
const PLACEHOLDERS = { script: "{{script}}", styles: "{{styles}}" };

/** `views/events/events.tsx` is loaded as `events-events.<hash>.js`. */
const nameOfView = (entryPoint: string): string =>
  relative(`${SOURCES}/views`, entryPoint)
    .replace(/\.tsx?$/, "")
    .replaceAll("/", "-");

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
  const options: BuildOptions = {
    absWorkingDir: root,
    outdir: join(root, ".build", "console"),
    minify: true,
    platform: "browser",
    target: BROWSERS,
    legalComments: "none",
    logLevel: "silent",
  };
  const { metafile, outputFiles } = await esbuild
    .build({
      ...options,
      entryPoints: [...CONSOLE_ENTRIES],
      entryNames: "[name].[hash]",
      chunkNames: "[name].[hash]",
      assetNames: "[name].[hash]",
      publicPath: ASSETS_PATH,
      bundle: true,
      splitting: true,
      format: "esm",
      jsx: "automatic",
      jsxImportSource: "preact",
      metafile: true,
      write: false,
    })
    .catch((error: unknown) => {
      throw toBuildError(error);
    });
  const template = readFileSync(join(root, CONSOLE_TEMPLATE), "utf8");
  for (const placeholder of Object.values(PLACEHOLDERS))
    if (!template.includes(placeholder)) throw new Error(`${CONSOLE_TEMPLATE} does not contain ${placeholder}.`);
  const outputOf = (source: string) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
    if (found === undefined) throw new Error(`esbuild made no output of ${source}.`);
    return found;
  };
  const [first] = outputOf(FIRST);
  const [entry, { cssBundle }] = outputOf(START);
  const lost = Object.keys(metafile.outputs).find((output) => output.endsWith(".css") && output !== cssBundle);
  if (lost !== undefined)
    throw new Error(`The page does not load ${lost}: import styles from ${START}, and not from a lazy view.`);
  const files = new Map(outputFiles.map((file) => [basename(file.path), file] as const));
  const scripts = await mergeChunks({
    outputs: metafile.outputs,
    first,
    entry,
    contentsOf: (output) => files.get(basename(output))?.text ?? "",
    nameOf: nameOfView,
    options,
  });
  const others = [...files].flatMap(([name, { contents }]) =>
    name.endsWith(".js") ? [] : [[name, contents] as const],
  );
  const [firstName, startName] = scripts.keys();
  // The first one runs as soon as it is there.
  const tags = [
    `<script type="module" async fetchpriority="high" src="${ASSETS_PATH}/${firstName}"></script>`,
    `<script type="module" src="${ASSETS_PATH}/${startName}"></script>`,
  ].join("");
  const styles =
    cssBundle === undefined ? "" : `<link rel="stylesheet" href="${ASSETS_PATH}/${basename(cssBundle)}" />`;
  const html = template.replace(PLACEHOLDERS.script, tags).replace(PLACEHOLDERS.styles, styles);
  const assets = new Map([...others, ...[...scripts].map(([name, text]) => [name, Buffer.from(text)] as const)]);
  return {
    folders: pageFolders("console", { html, assets, licences: licencesOf(root, metafile) }, { withBrotli: true }),
    inputs: metafile.inputs,
  };
};
