/**
 * The canonical text of a JSON value, RFC 8785 (JCS): members in order of the UTF-16 units of their names, no space,
 * numbers and texts as ECMAScript writes them. Pure. docs/evidence.md, "Bytes".
 */

const INTEGER = /^-?\d+$/;

/** Integers that a double does not hold exactly become the text of their digits, because JCS has doubles only. */
const numberText = (value: number | bigint): string => {
  const text = typeof value === "bigint" ? String(value) : JSON.stringify(value);
  if (text === "null") throw new RangeError("JSON has no such number.");
  return INTEGER.test(text) && !Number.isSafeInteger(Number(value)) ? `"${text}"` : text;
};

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

/**
 * @param value what JSON can hold, with bigint for integers; members that are undefined are left out.
 * @throws TypeError on anything else, and on texts that are not well-formed Unicode.
 */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new TypeError("not well-formed Unicode");
    return JSON.stringify(value);
  }
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (typeof value === "boolean" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object") throw new TypeError(`JSON has no ${typeof value}.`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .sort(byName)
    .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`)
    .join(",")}}`;
};
