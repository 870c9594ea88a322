/**
 * Replaces sensitive data in values before they are stored, logged or published. Pure; linear in time. Texts are redacted
 * by redact-text.ts; sensitive-name.ts classifies the names of fields.
 * Spec: "Sensitive data is not logged". Decisions: docs/decisions.md, "Security events".
 */
import { isCardNumber } from "./account-numbers.ts";
import { marker } from "./recogniser.ts";
import { redactIdentifier, redactText } from "./redact-text.ts";
import { isRandom, meaningOfName, type NameMeaning } from "./sensitive-name.ts";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A marker replaces values beyond the depth or the count, so that cycles and hostile graphs end. */
const MAX_DEPTH = 32;
const MAX_VALUES = 20_000;
const TOO_DEEP = "[cut:depth]";
const TOO_MANY = "[cut:size]";

/** `meaning`: of the value's name, or of an enclosing secret's name (`cookies: [{…}]`). */
type Context = { meaning: NameMeaning; depth: number };
type Budget = { values: number };

const redactString = (text: string, { meaning }: Context): string => {
  if (meaning.secret !== undefined && text !== "" && (meaning.onlyRandom !== true || isRandom(text))) {
    return /^\[redacted:[a-z_]+\]$/.test(text) ? text : marker(meaning.secret);
  }
  return meaning.identifier === true ? redactIdentifier(text) : redactText(text);
};

const redactNumber = (value: number, { meaning }: Context): Json => {
  if (meaning.secret !== undefined && meaning.numbersToo === true) return marker(meaning.secret);
  if (meaning.numeric !== true && Number.isInteger(value) && isCardNumber(String(Math.abs(value))))
    return marker("card");
  return Number.isFinite(value) ? value : null;
};

/** A small bigint becomes a JSON number, a larger one a text of its digits. */
const redactBigInt = (value: bigint, context: Context): Json =>
  BigInt.asIntN(54, value) === value ? redactNumber(Number(value), context) : redactString(String(value), context);

/** The meaning of `{name: "authorization", value: …}`, where a value is the name. */
const nameInside = (entries: readonly [string, unknown][]): NameMeaning | undefined => {
  const name = entries.find(([key]) => key === "name" || key === "key" || key === "header")?.[1];
  return typeof name === "string" && name.length <= 64 ? meaningOfName(name) : undefined;
};

/** Most keys. No recogniser matches lower camel case without digits, except the start of a JWT. */
const PLAIN_KEY = /^(?!eyJ)[a-z][A-Za-z]{0,39}$/;

const redactObject = (value: object, { meaning, depth }: Context, budget: Budget): Json => {
  const entries: [string, unknown][] = Object.entries(value);
  const named = nameInside(entries);
  return Object.fromEntries(
    entries
      .filter(([, part]) => part !== undefined && typeof part !== "function" && typeof part !== "symbol")
      .map(([key, part]) => {
        const own = meaningOfName(key);
        const meant = named?.secret !== undefined && key === "value" ? named : own;
        const inherited = meant.secret === undefined && meaning.secret !== undefined ? meaning : meant;
        return [
          PLAIN_KEY.test(key) ? key : redactText(key),
          redactValue(part, { meaning: inherited, depth: depth + 1 }, budget),
        ];
      }),
  );
};

const redactValue = (value: unknown, context: Context, budget: Budget): Json => {
  if (budget.values-- <= 0) return TOO_MANY;
  if (typeof value === "string") return redactString(value, context);
  if (typeof value === "number") return redactNumber(value, context);
  if (typeof value === "bigint") return redactBigInt(value, context);
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (context.depth >= MAX_DEPTH) return TOO_DEEP;
  const { meaning } = context;
  if (meaning.secret !== undefined && meaning.numbersToo === true) return marker(meaning.secret);
  if (Array.isArray(value)) {
    return value.map((part) => redactValue(part, { meaning, depth: context.depth + 1 }, budget));
  }
  if (ArrayBuffer.isView(value)) return marker("binary");
  if (value instanceof Date || value instanceof URL) return redactValue(value.toJSON(), context, budget);
  if (value instanceof Error) return redactObject({ name: value.name, message: value.message }, context, budget);
  return redactObject(value, context, budget);
};

/**
 * A copy of a value without sensitive data, in keys and values at any depth, which JSON.stringify accepts.
 *
 * - A string or object under the name of a secret (`password`, `client_secret`, `X-Api-Key`) is replaced whole. Under names
 *   that may also be counts (`tokens`, `authorization`, `cookies`), numbers stay and strings inside are replaced.
 * - A JSON number under the name of one of the service's numeric fields stays (`durationMs`, `amountDue`, `createdAt`,
 *   `count`, an id). Elsewhere a number of 13 to 19 digits with a Luhn check digit is a card number, and 13 digits that
 *   start with 1 are a time, as in texts. `cvc: 123` and `accountNumber: 12345678` are replaced because of their names.
 * - Ids of the service's records (`organizationId`, `userId`, `sessionId`, `requestId`) keep their digits.
 * - Keys that become the same marker become one key. Errors keep name and message, but not the stack.
 *
 * Never throws: a value that cannot be read is replaced whole. Redacting a result again changes nothing.
 */
export const redact = (value: unknown): Json => {
  try {
    return redactValue(value, { meaning: {}, depth: 0 }, { values: MAX_VALUES });
  } catch {
    return marker("unreadable");
  }
};
