/** Gives equal values one object and one number, so that worlds can be compared by a few numbers. */

export const sortedText = (value: unknown): string => JSON.stringify(sorted(value));

const sorted = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
};

export type Intern<Value extends object> = ReturnType<typeof createIntern<Value>>;

/** @param textOf a text that is the same for equal values; it must sort fields whose order does not matter */
export const createIntern = <Value extends object>(textOf: (value: Value) => string = JSON.stringify) => {
  const known = new Map<string, Value>();
  const numbers = new WeakMap<Value, number>();
  const intern = (value: Value): Value => {
    if (numbers.has(value)) return value;
    const text = textOf(value);
    const first = known.get(text);
    if (first) return first;
    known.set(text, value);
    numbers.set(value, known.size);
    return value;
  };
  return { intern, numberOf: (value: Value): number => numbers.get(intern(value)) ?? 0 };
};
