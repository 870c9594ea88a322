/**
 * Merges the chunks that esbuild makes of a page with lazy views: a chunk for each set of views that share code, 40 files
 * of which most have less than 1 KB. Each request of a browser is an execution of a function, and a new account may run
 * ten at once. After this the page starts with a first script that is small and one that imports it, and a view is its own
 * script and the one that views share.
 */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import esbuild, { type BuildOptions, type Metafile, type Plugin } from "esbuild";

const FIRST = "first";
const START = "main";
const SHARED = "shared";

/** As long as the hash that takes its place in names and in imports: all files have the hash of all contents. */
const HASH = "__HASH__";

type Outputs = Metafile["outputs"];
type Chunk = { group: string; contents: string; exports: readonly string[]; id: string };

export type MergeOptions = {
  outputs: Outputs;
  /** The outputs of the page's entries: of the script that is loaded first, and of the one that starts the page. */
  first: string;
  entry: string;
  contentsOf: (output: string) => string;
  /** The name of a lazy view's file, without an extension. */
  nameOf: (entryPoint: string) => string;
  options: BuildOptions;
};

/** The entry's output, and the outputs that it imports at once. */
const startOf = (outputs: Outputs, entry: string): ReadonlySet<string> => {
  const reached = new Set([entry]);
  // The set grows while it is walked.
  for (const output of reached)
    for (const { path, kind } of outputs[output]?.imports ?? []) if (kind === "import-statement") reached.add(path);
  return reached;
};

const chunksOf = ({ outputs, first, entry, contentsOf, nameOf }: MergeOptions): ReadonlyMap<string, Chunk> => {
  const begin = startOf(outputs, first);
  const start = startOf(outputs, entry);
  const scripts = Object.entries(outputs).filter(([output]) => output.endsWith(".js"));
  return new Map(
    scripts.map(([output, { entryPoint, exports }], i) => {
      const isView = entryPoint !== undefined && output !== entry && output !== first;
      if (isView && start.has(output))
        throw new Error(`${entryPoint} is loaded with the page and as a lazy view: choose one of them.`);
      const ofPage = begin.has(output) ? FIRST : start.has(output) ? START : undefined;
      const group = ofPage ?? (isView ? nameOf(entryPoint) : SHARED);
      return [basename(output), { group, contents: contentsOf(output), exports, id: `c${i}` }] as const;
    }),
  );
};

const isMerged = (group: string): boolean => [FIRST, START, SHARED].includes(group);

const fileOf = (group: string): string => `./${group}.${HASH}.js`;

/** Chunks of one file may export equal names, so the file exports them under others. */
const renamed = ({ exports, id }: Chunk, rename: (name: string, unique: string) => string, from: string): string =>
  exports.length === 0
    ? `import ${JSON.stringify(from)};`
    : `export { ${exports.map((name) => rename(name, `${id}_${name}`)).join(", ")} } from ${JSON.stringify(from)};`;

const merging = (chunks: ReadonlyMap<string, Chunk>): Plugin => ({
  name: "merging",
  setup({ onResolve, onLoad }) {
    const hasShared = [...chunks.values()].some(({ group }) => group === SHARED);
    const chunkAt = (path: string): Chunk => {
      const chunk = chunks.get(basename(path));
      if (chunk === undefined) throw new Error(`esbuild made no chunk ${path}.`);
      return chunk;
    };
    onResolve({ filter: /.*/ }, ({ path, kind, importer, namespace }) => {
      if (kind === "entry-point") return { path, namespace: "group" };
      if (path.includes(HASH)) return { path, external: true };
      const { group } = chunkAt(path);
      const from = namespace === "group" ? importer : chunkAt(importer).group;
      if (kind !== "dynamic-import" && group === from) return { path: basename(path), namespace: "chunk" };
      if (kind === "dynamic-import" || !isMerged(group)) return { path: fileOf(group), external: true };
      return { path: basename(path), namespace: "import" };
    });
    onLoad({ filter: /.*/, namespace: "group" }, ({ path: group }) => {
      const own = [...chunks].filter(([, chunk]) => chunk.group === group);
      const lines = own.map(([file, chunk]) =>
        isMerged(group)
          ? renamed(chunk, (name, unique) => `${name} as ${unique}`, `./${file}`)
          : `export * from ${JSON.stringify(`./${file}`)};`,
      );
      // Loads what views share beside the first view, and not after it. If it fails, the view's own import says so. The first
      // script must not load it: it imports the page's start, which would run before the page has a place for it.
      if (group === START && hasShared) lines.push(`import("${fileOf(SHARED)}").catch(() => undefined);`);
      return { contents: lines.join("\n") };
    });
    onLoad({ filter: /.*/, namespace: "import" }, ({ path }) => {
      const chunk = chunkAt(path);
      return { contents: renamed(chunk, (name, unique) => `${unique} as ${name}`, fileOf(chunk.group)) };
    });
    onLoad({ filter: /.*/, namespace: "chunk" }, ({ path }) => ({ contents: chunkAt(path).contents }));
  },
});

/** The merged scripts by the names of their files; the page loads the first two, in this order. */
export const mergeChunks = async (merge: MergeOptions): Promise<ReadonlyMap<string, string>> => {
  const chunks = chunksOf(merge);
  const groups = [...new Set([FIRST, START, ...[...chunks.values()].map(({ group }) => group)])];
  const { outputFiles = [] } = await esbuild.build({
    ...merge.options,
    entryPoints: Object.fromEntries(groups.map((group) => [group, group])),
    entryNames: `[name].${HASH}`,
    bundle: true,
    splitting: false,
    format: "esm",
    write: false,
    plugins: [merging(chunks)],
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text] as const));
  const hash = createHash("sha256")
    .update(JSON.stringify([...texts].sort()))
    .digest("hex")
    .slice(0, HASH.length)
    .toUpperCase();
  const withHash = (text: string) => text.replaceAll(HASH, hash);
  return new Map(
    groups.map((group) => {
      const file = basename(fileOf(group));
      return [withHash(file), withHash(texts.get(file) ?? "")] as const;
    }),
  );
};
