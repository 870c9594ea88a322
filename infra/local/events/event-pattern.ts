/** Whether an event matches the pattern. */
export type EventPattern = (event: unknown) => boolean;

/** The check of one node of a pattern on the value at its path. */
type Node = (value: unknown) => boolean;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The texts, numbers, booleans and nulls at a path. A pattern matches neither objects nor empty lists. */
const leavesOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return value === undefined || isObject(value) ? [] : [value];
};

/** One alternative of a list: an exact value, or `{ exists: true }`. */
const compileAlternative = (path: string, alternative: unknown): ((leaves: readonly unknown[]) => boolean) => {
  if (isObject(alternative)) {
    const { exists, ...others } = alternative;
    if (typeof exists === "boolean" && Object.keys(others).length === 0)
      return (leaves) => leaves.length > 0 === exists;
  } else if (!Array.isArray(alternative)) return (leaves) => leaves.includes(alternative);
  throw new Error(`the local cloud does not support ${JSON.stringify(alternative)} at ${path}`);
};

const compileList = (path: string, alternatives: readonly unknown[]): Node => {
  if (alternatives.length === 0) throw new Error(`${path} has an empty list`);
  const matchers = alternatives.map((alternative) => compileAlternative(path, alternative));
  return (value) => {
    const leaves = leavesOf(value);
    return matchers.some((matches) => matches(leaves));
  };
};

const compileNode = (path: string, pattern: unknown): Node => {
  const place = path === "" ? "the pattern" : path;
  if (!isObject(pattern)) throw new Error(`${place} is neither a list nor an object`);
  const entries = Object.entries(pattern);
  if (entries.length === 0) throw new Error(`${place} is empty`);
  const fields = entries.map(([name, wanted]) => {
    if (name.startsWith("$")) throw new Error(`the local cloud does not support ${name} at ${place}`);
    const here = path === "" ? name : `${path}.${name}`;
    return { name, matches: Array.isArray(wanted) ? compileList(here, wanted) : compileNode(here, wanted) };
  });
  return (value) => fields.every(({ name, matches }) => matches(isObject(value) ? value[name] : undefined));
};

/**
 * Compiles an event pattern: all fields must match, and at least one alternative of each list.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 * @throws Error naming the path of what is not supported.
 */
export const compileEventPattern = (pattern: unknown): EventPattern => compileNode("", pattern);
