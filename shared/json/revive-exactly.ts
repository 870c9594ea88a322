import { parseExactInteger } from "./int64.ts";

/**
 * A reviver for JSON.parse: every integer of at most 19 digits becomes a bigint with its exact value, every other
 * number stays a number. So a schema receives a bigint if and only if the text is an integer: 1.0000000000000000001 is
 * not, although it rounds to 1.
 * @throws SyntaxError on texts or keys that are not well-formed Unicode (lone surrogates).
 */
export const reviveExactly = (key: string, value: unknown, context?: { source?: string }): unknown => {
  if (!key.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) {
    throw new SyntaxError("not well-formed Unicode");
  }
  if (typeof value !== "number") return value;
  if (context?.source === undefined) throw new TypeError("the JSON parser does not pass the source text of numbers");
  return parseExactInteger(context.source) ?? value;
};
