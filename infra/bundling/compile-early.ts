/**
 * Parentheses around the functions of packages that a cold start calls. V8 compiles such a function while it parses the
 * bundle; without parentheses it parses the function twice (https://v8.dev/blog/preparser#pife). esbuild removes
 * parentheses, so they are added to its output. Which functions are called stands in a file, because the bundle decides
 * the asset's hash: it must be the same on every machine. Measurements: docs/performance.md.
 */
import { SourceMap } from "node:module";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { type ArrowFunctionExpression, type Function as FunctionNode, parseSync, Visitor } from "oxc-parser";

/** Positions of functions by file of a package, as `{ "zod/v4/core/util.js": ["21:13"] }`; both numbers from 0. */
export type CalledFunctions = Readonly<Record<string, readonly string[]>>;

/** A bundle and its source map, as esbuild writes them. */
export type MappedBundle = { code: string; map: string };

/** Offsets of UTF-16 units in the code. */
export type Span = { start: number; end: number };

/** The function expressions of a bundle that come from a package. @returns their spans by `file line:column` */
export const packageFunctions = ({ code, map }: MappedBundle): ReadonlyMap<string, Span> => {
  const originals = new SourceMap(JSON.parse(map));
  const found = new Map<string, Span>();
  const positionAt = positionsIn(code);
  const add = ({ type, start, end }: ArrowFunctionExpression | FunctionNode) => {
    // A method is a function expression without the word.
    if (type === "FunctionExpression" && !/^(async )?function\b/.test(code.slice(start, start + 15))) return;
    const [line, column] = positionAt(start);
    const entry = originals.findEntry(line, column);
    if (!("originalSource" in entry) || entry.generatedLine !== line || entry.generatedColumn !== column) return;
    const file = entry.originalSource.split("node_modules/")[1];
    if (file !== undefined) found.set(`${file} ${entry.originalLine}:${entry.originalColumn}`, { start, end });
  };
  const { program } = parseSync("bundle.cjs", code, { sourceType: "script" });
  new Visitor({ ArrowFunctionExpression: add, FunctionExpression: add }).visit(program);
  return found;
};

/** @returns the line and the column of an offset, both from 0 */
const positionsIn = (code: string): ((offset: number) => [number, number]) => {
  const starts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return [line, offset - (starts[line] ?? 0)];
  };
};

/** Puts the listed functions into parentheses; the map stays true. Functions that the bundle does not contain are ignored. */
export const compileEarly = (bundle: MappedBundle, called: CalledFunctions): MappedBundle => {
  const functions = packageFunctions(bundle);
  const spans = Object.entries(called)
    .flatMap(([file, positions]) => positions.map((position) => functions.get(`${file} ${position}`)))
    .filter((span) => span !== undefined);
  const inserted = spans
    .flatMap(({ start, end }) => [
      { at: start, text: "(" },
      { at: end, text: ")" },
    ])
    // Where one function ends and the next one begins, the first is closed first.
    .sort((a, b) => a.at - b.at || (a.text === ")" ? -1 : 1));
  return { code: insert(bundle.code, inserted), map: shift(bundle, inserted) };
};

type Insertion = { at: number; text: string };

const insert = (code: string, insertions: readonly Insertion[]): string => {
  const cuts = [0, ...insertions.map(({ at }) => at), code.length];
  return cuts
    .slice(1)
    .map((cut, i) => code.slice(cuts[i], cut) + (insertions[i]?.text ?? ""))
    .join("");
};

/** The map after the insertions: each mapping moves by the characters that were inserted before it in its line. */
const shift = ({ code, map }: MappedBundle, insertions: readonly Insertion[]): string => {
  const parsed = JSON.parse(map);
  const mappings = decode(parsed.mappings);
  const positionAt = positionsIn(code);
  const columnsByLine = Map.groupBy(
    insertions.map(({ at }) => positionAt(at)),
    ([line]) => line,
  );
  for (const [line, positions] of columnsByLine) {
    let before = 0;
    for (const segment of mappings[line] ?? []) {
      while ((positions[before]?.[1] ?? Infinity) <= segment[0]) before++;
      segment[0] += before;
    }
  }
  return JSON.stringify({ ...parsed, mappings: encode(mappings) });
};
