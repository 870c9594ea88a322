/**
 * Takes what is sensitive out of values before they are stored, logged or published. Pure and linear in time.
 * What is recognised in texts: redaction/recognisers.ts. What names say: redaction/sensitive-name.ts.
 * Spec: "Sensitive data is not logged". Decisions: docs/decisions.md, "Security events".
 */
import { isCardNumber } from "./account-numbers.ts";
import { marker } from "./recogniser.ts";
import { redactIdentifier, redactText } from "./redact-text.ts";
import { isRandom, meaningOfName, type NameMeaning } from "./sensitive-name.ts";

export { redactText };

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Deeper values and further ones are replaced by a marker. A cycle ends at the depth, a hostile graph at the count. */
const MAX_DEPTH = 32;
const MAX_VALUES = 20_000;
const TOO_DEEP = "[cut:depth]";
const TOO_MANY = "[cut:size]";

/** What a value's place says: its name's meaning, and a secret around it (`cookies: [{…}]`). */
type Place = { meaning: NameMeaning; depth: number };
type Budget = { values: number };

const redactString = (text: string, { meaning }: Place): string => {
  if (meaning.secret !== undefined && text !== "" && (meaning.onlyRandom !== true || isRandom(text))) {
    return /^\[redacted:[a-z_]+\]$/.test(text) ? text : marker(meaning.secret);
  }
  return meaning.identifier === true ? redactIdentifier(text) : redactText(text);
};

const redactNumber = (value: number, { meaning }: Place): Json => {
  if (meaning.secret !== undefined && meaning.numbersToo === true) return marker(meaning.secret);
  if (meaning.numeric !== true && Number.isInteger(value) && isCardNumber(String(Math.abs(value))))
    return marker("card");
  return Number.isFinite(value) ? value : null;
};

/** JSON has one kind of number: small bigints become it, others their digits as a text. */
const redactBigInt = (value: bigint, place: Place): Json =>
  BigInt.asIntN(54, value) === value ? redactNumber(Number(value), place) : redactString(String(value), place);

/** `{name: "authorization", value: …}`: the name is a value itself. */
const nameInside = (entries: readonly [string, unknown][]): NameMeaning | undefined => {
  const name = entries.find(([key]) => key === "name" || key === "key" || key === "header")?.[1];
  return typeof name === "string" && name.length <= 64 ? meaningOfName(name) : undefined;
};

/** Most keys. No secret is recognised in lower camel case without digits, but for what begins as a JWT does. */
const PLAIN_KEY = /^(?!eyJ)[a-z][A-Za-z]{0,39}$/;

const redactObject = (value: object, { meaning, depth }: Place, budget: Budget): Json => {
  const entries: [string, unknown][] = Object.entries(value);
  const named = nameInside(entries);
  return Object.fromEntries(
    entries
      .filter(([, part]) => part !== undefined && typeof part !== "function" && typeof part !== "symbol")
      .map(([key, part]) => {
        const own = meaningOfName(key);
        const said = named?.secret !== undefined && key === "value" ? named : own;
        const around = said.secret === undefined && meaning.secret !== undefined ? meaning : said;
        return [
          PLAIN_KEY.test(key) ? key : redactText(key),
          redactValue(part, { meaning: around, depth: depth + 1 }, budget),
        ];
      }),
  );
};

const redactValue = (value: unknown, place: Place, budget: Budget): Json => {
  if (budget.values-- <= 0) return TOO_MANY;
  if (typeof value === "string") return redactString(value, place);
  if (typeof value === "number") return redactNumber(value, place);
  if (typeof value === "bigint") return redactBigInt(value, place);
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (place.depth >= MAX_DEPTH) return TOO_DEEP;
  const { meaning } = place;
  if (meaning.secret !== undefined && meaning.numbersToo === true) return marker(meaning.secret);
  if (Array.isArray(value)) {
    return value.map((part) => redactValue(part, { meaning, depth: place.depth + 1 }, budget));
  }
  if (ArrayBuffer.isView(value)) return marker("binary");
  if (value instanceof Date || value instanceof URL) return redactValue(value.toJSON(), place, budget);
  if (value instanceof Error) return redactObject({ name: value.name, message: value.message }, place, budget);
  return redactObject(value, place, budget);
};

/**
 * A copy of a value in which nothing sensitive is left, in keys and values at any depth; JSON.stringify accepts it.
 *
 * - A string under a name of secrets (`password`, `client_secret`, `X-Api-Key`) goes whole, an object with it; under
 *   names that also count something (`tokens`, `authorization`, `cookies`) numbers stay, and strings inside go.
 * - A JSON number stays under the name of a numeric field of ours (`durationMs`, `amountDue`, `createdAt`, `count`,
 *   an id) whatever its digits. Elsewhere one of 13 to 19 digits with a Luhn check digit is a card number, as in a
 *   text, and 13 digits beginning with 1 are a time. `cvc: 123` and `accountNumber: 12345678` go by their names.
 * - Ids of our own records (`organizationId`, `userId`, `sessionId`, `requestId`) keep their digits.
 * - Two keys that become the same marker become one. Errors give their name and message, never the stack.
 *
 * Never throws: what cannot be read is replaced whole. Changes nothing when applied to its own result.
 */
export const redact = (value: unknown): Json => {
  try {
    return redactValue(value, { meaning: {}, depth: 0 }, { values: MAX_VALUES });
  } catch {
    return marker("unreadable");
  }
};
