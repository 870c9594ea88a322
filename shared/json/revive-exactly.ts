import { parseExactInteger } from "./int64.ts";

/**
 * A reviver for JSON.parse: every integer of at most 19 digits becomes a bigint with its exact value, every other
 * number stays a number. So a schema sees a bigint if and only if the sender wrote an integer: 1.0000000000000000001
 * is none, although it would round to 1.
 * @throws SyntaxError on texts or keys that are not well-formed Unicode (lone surrogates).
 */
export const reviveExactly = (key: string, value: unknown, context?: { source?: string }): unknown => {
  if (!key.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) {
    throw new SyntaxError("not well-formed Unicode");
  }
  if (typeof value !== "number") return value;
  if (context?.source === undefined) throw new TypeError("the JSON parser does not hand over the source of numbers");
  return parseExactInteger(context.source) ?? value;
};
