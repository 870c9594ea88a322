/** The shape of JSON values: the names and types of their fields, without the values. */

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Whether two values have the same fields with the same types. Null fits any value. An empty list fits any list; otherwise
 * each element has one of the same shape in the other list.
 */
export const haveSameShape = (one: unknown, other: unknown): boolean => {
  if (one === null || other === null) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length === 0 || other.length === 0) return true;
    const isMatched = (some: unknown[], others: unknown[]) =>
      some.every((element) => others.some((candidate) => haveSameShape(element, candidate)));
    return isMatched(one, other) && isMatched(other, one);
  }
  if (isFields(one) && isFields(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => name in one && name in other && haveSameShape(one[name], other[name]));
  }
  return typeof one === typeof other && Array.isArray(one) === Array.isArray(other);
};
