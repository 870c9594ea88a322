/**
 * Puts all faults of a file into one source text ("mutant schemata", Untch, Offutt and Harrold 1993,
 * https://doi.org/10.1145/154183.154265): each stands behind a switch, so that one loaded program can run with any of
 * them and a fault costs no compilation.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseSync } from "oxc-parser";
import { type Change, changesOf, childrenOf, isNode, type Node } from "./operators.ts";

export const root = join(import.meta.dirname, "..", "..");

/** One planted fault. `id` stays the same while the enclosing function's line of code does. */
export type Mutant = {
  id: string;
  file: string;
  line: number;
  operator: string;
  original: string;
  replacement: string;
};

/** The name by which instrumented code reaches the switches: an object of the type `Switches`. */
export const switchesName = "__mutationSwitches";

export type Switches = {
  /** Whether the fault of this id is on. */
  m(id: string): boolean;
  /** Called in each round of a loop; throws if the rounds are too many. */
  l(): void;
};

const parse = (file: string, source: string): Node => {
  const { program, errors } = parseSync(file, source, { lang: "ts", preserveParens: false });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const parsed: unknown = program;
  if (!isNode(parsed)) throw new Error(`${file}: the parser returned no program`);
  return parsed;
};

const lineAt = (source: string, offset: number): number => source.slice(0, offset).split("\n").length;

const named = (file: string, source: string, changes: readonly Change[]): Mutant[] => {
  const occurrences = new Map<string, number>();
  return changes.map(({ operator, start, end, replacement }) => {
    const lineStart = source.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = source.indexOf("\n", start);
    const lineText = source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).trim();
    const original = source.slice(start, end);
    const key = [file, lineText, operator, original, replacement].join("\0");
    const occurrence = occurrences.get(key) ?? 0;
    occurrences.set(key, occurrence + 1);
    const hash = createHash("sha256").update(`${key}\0${occurrence}`).digest("hex").slice(0, 7);
    return {
      id: `${basename(file, ".ts")}.${hash}`,
      file,
      line: lineAt(source, start),
      operator,
      original,
      replacement,
    };
  });
};

const loops = new Set(["ForStatement", "ForOfStatement", "ForInStatement", "WhileStatement", "DoWhileStatement"]);

/** The source with all faults behind switches, on the same lines. */
const withSwitches = (
  program: Node,
  source: string,
  changes: readonly Change[],
  mutants: readonly Mutant[],
): string => {
  const at = new Map<string, number[]>();
  for (const [index, { start, end, form }] of changes.entries()) {
    const key = `${start}:${end}:${form === "statement"}`;
    at.set(key, [...(at.get(key) ?? []), index]);
  }
  const insertions: { at: number; text: string }[] = [];
  const insert = (position: number, text: string): void => void insertions.push({ at: position, text });
  const isOn = (index: number): string => `__s.m(${JSON.stringify(mutants[index]?.id)})`;
  const done = new Set<string>();
  const take = (key: string): number[] => {
    if (done.has(key)) return [];
    done.add(key);
    return at.get(key) ?? [];
  };
  const visit = (node: Node, parent: Node): void => {
    const { start, end } = node;
    const [statement] = take(`${start}:${end}:true`);
    const isStatement = /Statement$/.test(node.type);
    const expressions = isStatement ? [] : take(`${start}:${end}:false`);
    // In a block of its own, or an `else` after it would belong to the switch.
    if (statement !== undefined) insert(start, `{if(!${isOn(statement)}){`);
    const [name] = expressions.filter((index) => changes[index]?.form === "name");
    if (name !== undefined) {
      // `.filter(` becomes `[on?"slice":"filter"](`; the dot before it is removed with the optional chain kept.
      insert(start, `\0[${isOn(name)}?${JSON.stringify(changes[name]?.replacement)}:"`);
      insert(end, `"]`);
      return;
    }
    if (expressions.length > 0) {
      insert(start, `(${expressions.map((index) => `${isOn(index)}?(${changes[index]?.replacement}):`).join("")}(`);
    }
    if (loops.has(parent.type) && node === parent.body) insert(start, "{__s.l();");
    for (const child of childrenOf(node)) visit(child, node);
    if (loops.has(parent.type) && node === parent.body) insert(end, "}");
    if (expressions.length > 0) insert(end, "))");
    if (statement !== undefined) insert(end, "}}");
  };
  visit(program, program);
  let text = `const __s=globalThis.${switchesName};`;
  let from = 0;
  for (const { at: position, text: inserted } of insertions
    .map((insertion, order) => ({ ...insertion, order }))
    .sort((left, right) => left.at - right.at || left.order - right.order)) {
    text += source.slice(from, position);
    from = position;
    // A computed name needs no dot before it, unless that is the dot of `?.`.
    if (inserted.startsWith("\0")) {
      text = text.replace(/(\?)?\.\s*$/, (_, optional) => (optional ? "?." : ""));
      text += inserted.slice(1);
    } else text += inserted;
  }
  return text + source.slice(from);
};

/** The faults of a text, and the text with all of them behind switches. */
export const instrumentText = (file: string, source: string): { mutants: Mutant[]; source: string } => {
  const program = parse(file, source);
  const changes = changesOf(program, source);
  const mutants = named(file, source, changes);
  return { mutants, source: withSwitches(program, source, changes, mutants) };
};

/** The same for a file of the project. @param file relative to the root, such as `shared/http/cursor.ts` */
export const instrument = (file: string): { mutants: Mutant[]; source: string } =>
  instrumentText(file, readFileSync(join(root, file), "utf8"));
