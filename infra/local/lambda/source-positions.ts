import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { sourceMapPath } from "../../bundling/bundle-directory.ts";

/** A line of an error's stack: `at async x (/path/bundle.cjs:3:4711)`. Names in a bundle are shortened. */
const FRAME = /at (async )?(?:[\w$.<>[\]# ]+ )?\(?(\/[^()"\\\n]*?\.cjs):(\d+):(\d+)\)?/g;

const readMap = (bundle: string): SourceMap | undefined => {
  try {
    return new SourceMap(JSON.parse(readFileSync(sourceMapPath(readFileSync(bundle)), "utf8")));
  } catch {
    // Not a bundle of the service's own build.
    return undefined;
  }
};

/**
 * Replaces positions in bundles by those in source files: `at shared/plants/plant-store.ts:12:5`. A line without a source
 * map stays unchanged. Reads a map when it is first needed: the functions run without maps, as deployed.
 */
export const createSourcePositions = (): ((text: string) => string) => {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (bundle: string) => {
    if (!maps.has(bundle)) maps.set(bundle, readMap(bundle));
    return maps.get(bundle);
  };
  const toSource = (frame: string, isAsync = "", bundle: string, line: string, column: string) => {
    const origin = mapOf(bundle)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !("fileName" in origin)) return frame;
    // Sources are relative to the folder of the bundle in .build/functions/.
    const file = origin.fileName.replace(/^(\.\.\/)+/, "");
    return `at ${isAsync}${file}:${origin.lineNumber}:${origin.columnNumber}`;
  };
  return (text) => (text.includes(".cjs:") ? text.replace(FRAME, toSource) : text);
};
