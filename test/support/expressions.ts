/**
 * Evaluates the subset of DynamoDB's expressions that the product uses, on plain values. The explorer of the circuit
 * breaker and the simulation evaluate the product's own texts; their tests compare the results with the embedded engine.
 */
import { renderUpdate, type Update } from "../../shared/runtime/table-expressions.ts";

export type Item = { [name: string]: unknown };
type Names = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, unknown>>;
type Context = { item: Item; names: Names; values: Values };
type Operand = (context: Context) => unknown;
type Predicate = (context: Context) => boolean;
type Path = readonly (string | number)[];
/** `path`: of the attribute that changes. */
type Change = { path: Path; apply: (context: Context, after: Item) => void };

/** An expression that DynamoDB answers with ValidationException, whether or not the condition holds. */
export class InvalidExpression extends Error {}

const tokenise = (text: string): string[] => text.match(/[#:]?\w+|<>|<=|>=|[=<>()[\].,+-]/g) ?? [];

const isMap = (value: unknown): value is Item => typeof value === "object" && value !== null && !Array.isArray(value);

const child = (parent: unknown, step: string | number): unknown =>
  typeof step === "number"
    ? Array.isArray(parent)
      ? parent[step]
      : undefined
    : isMap(parent)
      ? parent[step]
      : undefined;

const resolved = (path: Path, names: Names): Path =>
  path.map((step) => (typeof step === "string" && step.startsWith("#") ? (names[step] ?? step) : step));

const read = (path: Path, { item, names }: Context): unknown => {
  let value: unknown = item;
  for (const step of resolved(path, names)) value = child(value, step);
  return value;
};

/** The container at the end of a path. Copies each level, so that the original item stays unchanged. */
const parentOf = (path: Path, names: Names, item: Item): { parent: Item | unknown[]; step: string | number } => {
  const steps = resolved(path, names);
  let parent: unknown = item;
  for (const step of steps.slice(0, -1)) {
    const inner = child(parent, step);
    const copy = Array.isArray(inner) ? [...inner] : isMap(inner) ? { ...inner } : undefined;
    if (copy !== undefined) (parent as Item)[step] = copy;
    parent = copy;
  }
  const step = steps.at(-1) ?? "";
  if (typeof step === "number" ? !Array.isArray(parent) : !isMap(parent)) {
    throw new InvalidExpression("The document path provided in the update expression is invalid for update");
  }
  return { parent: parent as Item | unknown[], step };
};

const equal = (a: unknown, b: unknown): boolean => {
  if (a === b) return a !== undefined;
  if (a instanceof Set) return b instanceof Set && a.size === b.size && [...a].every((one) => b.has(one));
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((one, i) => equal(one, b[i]));
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => equal(a[key], b[key]));
};

type Orderable = number | bigint | string;

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

const ordered = (test: (a: Orderable, b: Orderable) => boolean) => (a: unknown, b: unknown) =>
  ((isNumber(a) && isNumber(b)) || (typeof a === "string" && typeof b === "string")) && test(a, b);

const comparators: Record<string, (a: unknown, b: unknown) => boolean> = {
  "=": equal,
  "<>": (a, b) => !equal(a, b),
  "<": ordered((a, b) => a < b),
  "<=": ordered((a, b) => a <= b),
  ">": ordered((a, b) => a > b),
  ">=": ordered((a, b) => a >= b),
};

const size = (value: unknown): number | undefined => {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (value instanceof Set) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return isMap(value) ? Object.keys(value).length : undefined;
};

/** Reads the tokens of one expression from the left. */
const createReader = (text: string) => {
  const tokens = tokenise(text);
  let position = 0;
  const peek = (offset = 0): string | undefined => tokens[position + offset];
  const take = (): string => tokens[position++] ?? "";
  const accept = (token: string): boolean => peek() === token && ++position > 0;
  const expect = (token: string): void => {
    if (!accept(token)) throw new SyntaxError(`${token} expected, ${peek()} found in ${text}`);
  };
  const list = <Part>(part: () => Part): Part[] => {
    const parts = [part()];
    while (accept(",")) parts.push(part());
    return parts;
  };
  const path = (): Path => {
    const steps: (string | number)[] = [take()];
    for (;;) {
      if (accept(".")) steps.push(take());
      else if (accept("[")) {
        steps.push(Number(take()));
        expect("]");
      } else return steps;
    }
  };
  return { peek, take, accept, expect, list, path, isDone: () => position >= tokens.length };
};
type Reader = ReturnType<typeof createReader>;

const value = (reader: Reader): Operand => {
  if (reader.peek()?.startsWith(":")) {
    const name = reader.take();
    return ({ values }) => values[name];
  }
  const path = reader.path();
  return (context) => read(path, context);
};

const comparable = (reader: Reader): Operand => {
  if (reader.peek() !== "size" || reader.peek(1) !== "(") return value(reader);
  reader.take();
  reader.expect("(");
  const inner = value(reader);
  reader.expect(")");
  return (context) => size(inner(context));
};

const existence = (reader: Reader): Predicate | undefined => {
  const name = reader.peek();
  if (name !== "attribute_exists" && name !== "attribute_not_exists") return undefined;
  reader.take();
  reader.expect("(");
  const path = reader.path();
  reader.expect(")");
  return (context) => (read(path, context) !== undefined) === (name === "attribute_exists");
};

const functions: Record<string, (a: unknown, b: unknown) => boolean> = {
  begins_with: (a, b) => typeof a === "string" && typeof b === "string" && a.startsWith(b),
  contains: (a, b) => {
    if (typeof a === "string") return typeof b === "string" && a.includes(b);
    if (a instanceof Set) return a.has(b);
    return Array.isArray(a) && a.some((one) => equal(one, b));
  },
};

const call = (reader: Reader): Predicate | undefined => {
  const test = functions[reader.peek() ?? ""];
  if (test === undefined || reader.peek(1) !== "(") return undefined;
  reader.take();
  reader.expect("(");
  const first = value(reader);
  reader.expect(",");
  const second = value(reader);
  reader.expect(")");
  return (context) => test(first(context), second(context));
};

const simple = (reader: Reader): Predicate => {
  if (reader.accept("NOT")) {
    const inner = simple(reader);
    return (context) => !inner(context);
  }
  if (reader.accept("(")) {
    const inner = either(reader);
    reader.expect(")");
    return inner;
  }
  const exists = existence(reader) ?? call(reader);
  if (exists) return exists;
  const left = comparable(reader);
  if (reader.accept("IN")) {
    reader.expect("(");
    const among = reader.list(() => value(reader));
    reader.expect(")");
    return (context) => among.some((one) => equal(left(context), one(context)));
  }
  if (reader.accept("BETWEEN")) {
    const least = comparable(reader);
    reader.expect("AND");
    const most = comparable(reader);
    const isAtLeast = comparators[">="] as NonNullable<(typeof comparators)[string]>;
    return (context) => isAtLeast(left(context), least(context)) && isAtLeast(most(context), left(context));
  }
  const token = reader.take();
  const compare = comparators[token];
  if (!compare) throw new SyntaxError(`a comparison expected, ${token} found`);
  const right = comparable(reader);
  return (context) => compare(left(context), right(context));
};

const both = (reader: Reader): Predicate => {
  const parts = [simple(reader)];
  while (reader.accept("AND")) parts.push(simple(reader));
  return (context) => parts.every((part) => part(context));
};

const either = (reader: Reader): Predicate => {
  const parts = [both(reader)];
  while (reader.accept("OR")) parts.push(both(reader));
  return (context) => parts.some((part) => part(context));
};

const needed =
  (operand: Operand): Operand =>
  (context) => {
    const found = operand(context);
    if (found === undefined) {
      throw new InvalidExpression("The provided expression refers to an attribute that does not exist in the item");
    }
    return found;
  };

const assigned = (reader: Reader): Operand => {
  const name = reader.peek();
  if (name !== "if_not_exists" && name !== "list_append") return needed(value(reader));
  reader.take();
  reader.expect("(");
  const first = name === "if_not_exists" ? value(reader) : assigned(reader);
  reader.expect(",");
  const second = assigned(reader);
  reader.expect(")");
  if (name === "if_not_exists") return (context) => first(context) ?? second(context);
  return (context) => {
    const [a, b] = [first(context), second(context)];
    if (!Array.isArray(a) || !Array.isArray(b)) throw new InvalidExpression("list_append takes lists");
    return [...a, ...b];
  };
};

const numbers = (a: unknown, b: unknown): [number, number] => {
  if (typeof a !== "number" || typeof b !== "number") throw new InvalidExpression("An operand is no number");
  return [a, b];
};

const assignment = (reader: Reader): Change => {
  const path = reader.path();
  reader.expect("=");
  let operand = assigned(reader);
  if (reader.peek() === "+" || reader.peek() === "-") {
    const sign = reader.take() === "+" ? 1 : -1;
    const [first, second] = [operand, assigned(reader)];
    operand = (context) => {
      const [a, b] = numbers(first(context), second(context));
      return a + sign * b;
    };
  }
  const apply: Change["apply"] = (context, after) => {
    const { parent, step } = parentOf(path, context.names, after);
    (parent as Item)[step] = operand(context);
  };
  return { path, apply };
};

const removal = (reader: Reader): Change => {
  const path = reader.path();
  const apply: Change["apply"] = ({ names }, after) => {
    const { parent, step } = parentOf(path, names, after);
    // A removed element leaves a hole until the end, because other indexes refer to the original list.
    if (Array.isArray(parent)) parent[step as number] = undefined;
    else delete parent[step];
  };
  return { path, apply };
};

const addition = (reader: Reader): Change => {
  const path = reader.path();
  const operand = value(reader);
  const apply: Change["apply"] = (context, after) => {
    const [before, added] = [read(path, context), operand(context)];
    const { parent, step } = parentOf(path, context.names, after);
    if (added instanceof Set) {
      if (before !== undefined && !(before instanceof Set)) throw new InvalidExpression("An operand is no set");
      (parent as Item)[step] = new Set([...(before ?? []), ...added]);
      return;
    }
    const [a, b] = numbers(before ?? 0, added);
    (parent as Item)[step] = a + b;
  };
  return { path, apply };
};

/** Takes elements out of a set. An empty set does not exist. */
const deletion = (reader: Reader): Change => {
  const path = reader.path();
  const operand = value(reader);
  const apply: Change["apply"] = (context, after) => {
    const [before, taken] = [read(path, context), operand(context)];
    if (!(taken instanceof Set)) throw new InvalidExpression("An operand is no set");
    if (before === undefined) return;
    if (!(before instanceof Set)) throw new InvalidExpression("An operand is no set");
    const { parent, step } = parentOf(path, context.names, after);
    const left = new Set([...before].filter((one) => !taken.has(one)));
    if (left.size > 0) (parent as Item)[step] = left;
    else delete (parent as Item)[step];
  };
  return { path, apply };
};

const clauses: Record<string, (reader: Reader) => Change> = {
  SET: assignment,
  REMOVE: removal,
  ADD: addition,
  DELETE: deletion,
};

/** Lists without the elements that were removed. Only lists at the top and their maps are ever removed from. */
const withoutHoles = (item: Item): Item => {
  for (const [name, value] of Object.entries(item)) {
    if (Array.isArray(value) && value.includes(undefined)) item[name] = value.filter((one) => one !== undefined);
  }
  return item;
};

const remembered = <Compiled>(compile: (text: string) => Compiled) => {
  const known = new Map<string, Compiled>();
  return (text: string): Compiled => {
    const compiled = known.get(text) ?? compile(text);
    known.set(text, compiled);
    return compiled;
  };
};

const condition = remembered((text): Predicate => {
  if (text === "") return () => true;
  const reader = createReader(text);
  const predicate = either(reader);
  if (!reader.isDone()) throw new SyntaxError(`${reader.peek()} is too much in ${text}`);
  return predicate;
});

const update = remembered((text) => {
  const reader = createReader(text);
  const changes: Change[] = [];
  while (!reader.isDone()) {
    const clause = clauses[reader.take()];
    if (!clause) throw new SyntaxError(`a clause expected in ${text}`);
    changes.push(...reader.list(() => clause(reader)));
  }
  return changes;
});

export type Expressions = {
  ConditionExpression: string;
  UpdateExpression: string;
  ExpressionAttributeNames: Names;
  ExpressionAttributeValues: Values;
};

/** An update as the store sends it. */
export const rendered = (change: Update): Expressions => renderUpdate(change) as Expressions;

/** The values at the paths of a projection. Paths lead through maps only. */
export const project = (projection: string, names: Names, item: Item): Item => {
  const after: Item = {};
  for (const text of projection.split(",")) {
    const path = resolved(createReader(text).path(), names);
    const found = read(path, { item, names, values: {} });
    if (found === undefined) continue;
    let parent = after;
    for (const step of path.slice(0, -1)) {
      const inner = parent[step] ?? {};
      parent[step] = inner;
      parent = inner as Item;
    }
    parent[path.at(-1) ?? ""] = found;
  }
  return after;
};

/** Whether a condition holds; an empty one does. @param item undefined if it does not exist; not changed */
export const holds = (expressions: Expressions, item: Item | undefined): boolean =>
  condition(expressions.ConditionExpression)({
    item: item ?? {},
    names: expressions.ExpressionAttributeNames,
    values: expressions.ExpressionAttributeValues,
  });

/**
 * The item after an update. The original item stays unchanged.
 * @returns undefined if the condition does not hold
 * @throws InvalidExpression if the update does not fit the item
 */
export const applyUpdate = (expressions: Expressions, item: Item | undefined, key: Item): Item | undefined => {
  if (!holds(expressions, item)) return undefined;
  const before = { ...key, ...item };
  const after = { ...before };
  const context = {
    item: before,
    names: expressions.ExpressionAttributeNames,
    values: expressions.ExpressionAttributeValues,
  };
  for (const change of update(expressions.UpdateExpression)) change.apply(context, after);
  return withoutHoles(after);
};

/** The attributes that an update names. */
export const updatedAttributes = ({ UpdateExpression, ExpressionAttributeNames }: Expressions): string[] =>
  update(UpdateExpression).map(({ path }) => String(resolved(path, ExpressionAttributeNames)[0]));
