import { isDeepStrictEqual } from "node:util";

/** Holds for the leaves at one place of an event: text, numbers, booleans and nulls, those of lists one by one. */
export type Matcher = (leaves: readonly unknown[]) => boolean;

/** What an operator asks of one leaf. */
type Test = (leaf: unknown) => boolean;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** None where the field is absent, an empty list or an object: only leaves exist for a pattern. */
export const leavesOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return value === undefined || isObject(value) ? [] : [value];
};

const isText = (value: unknown): value is string => typeof value === "string";

const onText =
  (test: (text: string) => boolean): Test =>
  (leaf) =>
    isText(leaf) && test(leaf);

const lower = (text: string): string => text.toLowerCase();

const ignoringCase = (operand: unknown): string | undefined => {
  const text = isObject(operand) && Object.keys(operand).length === 1 ? operand["equals-ignore-case"] : undefined;
  return isText(text) ? lower(text) : undefined;
};

/** `*` stands for any text; `\*` and `\\` for themselves. @returns undefined for a wildcard that AWS would refuse. */
const wildcard = (pattern: string): Test | undefined => {
  const parts = pattern.match(/\\[*\\]|[^\\]/gs) ?? [];
  const isDoubled = parts.some((part, index) => part === "*" && parts[index + 1] === "*");
  if (isDoubled || parts.join("") !== pattern) return undefined;
  const source = parts.map((part) =>
    part === "*" ? ".*" : (part.at(-1) ?? "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  );
  const expression = new RegExp(`^${source.join("")}$`, "s");
  return onText((text) => expression.test(text));
};

const compare: Record<string, (value: number, bound: number) => boolean> = {
  "=": (value, bound) => value === bound,
  "<": (value, bound) => value < bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  ">=": (value, bound) => value >= bound,
};

/** One comparison, or two that bound a range: `[">", 0, "<=", 5]`. */
const numeric = (operand: unknown): Test | undefined => {
  if (!Array.isArray(operand) || ![2, 4].includes(operand.length)) return undefined;
  const tests = [operand.slice(0, 2), operand.slice(2)].filter((pair) => pair.length > 0);
  const known = tests.flatMap(([operator, bound]) => {
    const holds = isText(operator) && Object.hasOwn(compare, operator) ? compare[operator] : undefined;
    return holds === undefined || typeof bound !== "number" ? [] : [(value: number) => holds(value, bound)];
  });
  if (known.length < tests.length) return undefined;
  return (leaf) => typeof leaf === "number" && known.every((holds) => holds(leaf));
};

const affix = (operand: unknown, name: "startsWith" | "endsWith"): Test | undefined => {
  if (isText(operand)) return onText((text) => text[name](operand));
  const folded = ignoringCase(operand);
  return folded === undefined ? undefined : onText((text) => lower(text)[name](folded));
};

/** Each answers undefined for an operand that is not the operator's. */
const operators: Record<string, (operand: unknown) => Test | undefined> = {
  prefix: (operand) => affix(operand, "startsWith"),
  suffix: (operand) => affix(operand, "endsWith"),
  "equals-ignore-case": (operand) => (isText(operand) ? onText((text) => lower(text) === lower(operand)) : undefined),
  wildcard: (operand) => (isText(operand) ? wildcard(operand) : undefined),
  numeric,
};

/** Values, or one operator with a value or a list of them, none of which may match. */
const anythingBut = (operand: unknown): Test | undefined => {
  const excluded = (values: unknown, testOf: (value: unknown) => Test | undefined): Test | undefined => {
    const tests = [values].flat().map(testOf);
    const known = tests.filter((test) => test !== undefined);
    if (known.length === 0 || known.length < tests.length) return undefined;
    return (leaf) => !known.some((test) => test(leaf));
  };
  if (!isObject(operand))
    return excluded(operand, (value) =>
      isText(value) || typeof value === "number" ? (leaf) => leaf === value : undefined,
    );
  const [[name = "", values] = [], ...others] = Object.entries(operand);
  const operator = name !== "numeric" && Object.hasOwn(operators, name) ? operators[name] : undefined;
  return others.length > 0 || operator === undefined ? undefined : excluded(values, operator);
};

/**
 * One alternative of a pattern's list: a value, or an object with one operator.
 * @throws Error naming the place and what is not understood there.
 */
export const parseMatcher = (path: string, alternative: unknown): Matcher => {
  if (!isObject(alternative)) {
    if (Array.isArray(alternative)) throw new Error(`${path} has a list within its list`);
    return (leaves) => leaves.some((leaf) => isDeepStrictEqual(leaf, alternative));
  }
  const [[name = "", operand] = [], ...others] = Object.entries(alternative);
  if (others.length === 0 && name === "exists" && typeof operand === "boolean")
    return (leaves) => leaves.length > 0 === operand;
  const operator = name === "anything-but" ? anythingBut : Object.hasOwn(operators, name) ? operators[name] : undefined;
  const test = others.length === 0 ? operator?.(operand) : undefined;
  if (test === undefined) throw new Error(`${path} uses ${JSON.stringify(alternative)}, which is not understood`);
  return (leaves) => leaves.some(test);
};
