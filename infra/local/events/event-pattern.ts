import { isObject, leavesOf, type Matcher, parseMatcher } from "./pattern-operators.ts";

/** Whether an event is one that the pattern means. */
export type EventPattern = (event: unknown) => boolean;

/** What one node of a pattern asks of the value at its place. */
type Node = (value: unknown) => boolean;

/** A list of which any one must hold for the leaves of the value. */
const compileLeaf = (path: string, alternatives: readonly unknown[]): Node => {
  if (alternatives.length === 0) throw new Error(`${path} has an empty list`);
  const matchers: Matcher[] = alternatives.map((one) => parseMatcher(path, one));
  return (value) => {
    const leaves = leavesOf(value);
    return matchers.some((matches) => matches(leaves));
  };
};

const compileField = (path: string, name: string, wanted: unknown): Node => {
  const here = path === "" ? name : `${path}.${name}`;
  const field = Array.isArray(wanted) ? compileLeaf(here, wanted) : compileNode(here, wanted);
  return (value) => field(isObject(value) ? value[name] : undefined);
};

const compileOr = (path: string, alternatives: unknown): Node => {
  if (!Array.isArray(alternatives) || alternatives.length < 2)
    throw new Error(`${path === "" ? "the pattern" : path} has a $or that is no list of two or more patterns`);
  const nodes = alternatives.map((one) => compileNode(path, one));
  return (value) => nodes.some((matches) => matches(value));
};

const compileNode = (path: string, pattern: unknown): Node => {
  if (!isObject(pattern)) throw new Error(`${path === "" ? "the pattern" : path} is neither a list nor an object`);
  const entries = Object.entries(pattern);
  if (entries.length === 0) throw new Error(`${path === "" ? "the pattern" : path} is empty`);
  const fields = entries.map(([name, wanted]) =>
    name === "$or" ? compileOr(path, wanted) : compileField(path, name, wanted),
  );
  // One element of a list of objects must meet all that is asked of its fields.
  return (value) =>
    Array.isArray(value)
      ? value.some((element) => fields.every((matches) => matches(element)))
      : fields.every((matches) => matches(value));
};

/**
 * Makes a predicate of an event pattern: all fields must match, of a list any one value, of `$or` any one pattern.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 * @throws Error naming the place of what is not understood.
 */
export const compileEventPattern = (pattern: unknown): EventPattern => compileNode("", pattern);
