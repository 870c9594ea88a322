import { basename } from "node:path";
import type { Metafile } from "esbuild";
import { deferredParts, ENTRY } from "../../bundling/bundle-functions.ts";

/** Which functions contain which files. */
export type ImportGraph = {
  /** The names of the functions that import any of the files, directly or through others. */
  importersOf(files: readonly string[]): ReadonlySet<string>;
  /** Adds the imports of a later build. */
  add(metafile: Pick<Metafile, "inputs">): void;
};

/** A file that a function loads on demand is named by its part: `./refusals.cjs`. */
const sourceOf = (path: string): string =>
  Object.entries(deferredParts).find(([part]) => path === `./${part}`)?.[1] ?? path;

/** @param metafile esbuild's list of the inputs of a build of all functions */
export const createImportGraph = (metafile: Pick<Metafile, "inputs">): ImportGraph => {
  const inputs = { ...metafile.inputs };
  return {
    importersOf(files) {
      const importers = new Map<string, string[]>();
      for (const [importer, { imports }] of Object.entries(inputs))
        for (const { path } of imports) {
          const imported = sourceOf(path);
          const others = importers.get(imported);
          if (others === undefined) importers.set(imported, [importer]);
          else others.push(importer);
        }
      // The set grows while it is walked.
      const reached = new Set(files);
      for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
      return new Set([...reached].filter((file) => file.startsWith(ENTRY)).map((file) => basename(file, ".ts")));
    },
    add(other) {
      Object.assign(inputs, other.inputs);
    },
  };
};
