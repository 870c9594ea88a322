import { cardNumber, iban } from "./account-numbers.ts";
import { namedValue } from "./named-value.ts";
import { byPattern, type Recogniser } from "./recogniser.ts";

/** Tells a credential from the word after "Bearer" in prose: a digit, mixed case, or longer than such words are. */
const looksDrawn = (text: string): boolean => /\d|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(text) || text.length >= 16;

/**
 * Everything that is recognised in a text, in the order of use: what holds spaces or line breaks comes before the
 * values with names, which end at a space. Each pattern begins at a literal or at the edge of a word and repeats only
 * disjoint classes, so that its time is linear.
 */
export const recognisers: readonly Recogniser[] = [
  byPattern("private_key", /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END[^-]{0,60}-----|$)/g),
  // https://user:password@host
  byPattern("credentials", /(?<kept>:\/\/)[^\s/?#"'<>\\]+(?=@)/g, (found) => !/^\[redacted:[a-z_]+\]$/.test(found)),
  // Also JSON objects in base64 that are no token, and encrypted tokens of five parts.
  byPattern("jwt", /(?<![A-Za-z0-9])eyJ[\w+/-]{8,}={0,2}(?:\.[\w-]*){0,4}/g),
  // The provider's keys (also publishable, restricted, ephemeral ones), and the secrets of its client-side objects.
  byPattern("api_key", /(?<![A-Za-z0-9])(?:[a-z]{1,2}k_(?:live|test|org)_[\w-]+|[eprs]k_[A-Za-z0-9]{16,})/g),
  byPattern("webhook_secret", /(?<![A-Za-z0-9])whsec_[\w+/=-]{4,}/g),
  byPattern("oauth", /(?<![A-Za-z0-9])(?:ac|rt)_[\w-]{4,}/g, (found) => looksDrawn(found.slice(3))),
  byPattern("client_secret", /_secret_[A-Za-z0-9]{16,}/g),
  // Access key ids, and session tokens by how they begin.
  byPattern(
    "aws_key",
    /(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])|(?:IQoJ|FwoG|FQoG)[\w+/]{40,}={0,2})/g,
  ),
  // GitHub, Slack, Google, OpenAI and the like.
  byPattern(
    "vendor_key",
    /(?<![A-Za-z0-9])(?:gh[a-z]_\w{20,}|github_pat_\w{20,}|xox[a-z]-[\w-]{10,}|AIza[\w-]{30,}|sk-[\w-]{20,}|glpat-[\w-]{20,})/g,
  ),
  iban,
  cardNumber,
  {
    ...byPattern(
      "account",
      /(?<![a-z0-9])(?<kept>(?:(?:account|acct|routing|transit)[ _-]{0,2}(?:number|num|nr|no)|sort[ _-]?code|a\/c|aba|bsb|acct)(?![a-z])[\s:=.#"'\\]{1,6}(?:(?:is|was)\s{1,3})?)\d(?:[ -]?\d){3,33}/gi,
    ),
    readsDigits: true,
  },
  namedValue,
  byPattern(
    "authorization",
    /(?<![a-z])(?<kept>(?:basic|bearer|negotiate|digest)[\s:"']{1,4})[\w.~+/-]{6,}={0,2}(?![\w"'=])/gi,
    looksDrawn,
  ),
];

/** A text as a reader of another encoding sees it. */
type View = (text: string) => string;

/** Percent-encoding undone, also where it was encoded several times over (%2525 and so on). */
const withoutPercents: View = (text) =>
  text.replace(/(?:%(?:25)*[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replace(/%(?:25)*([0-9a-f]{2})/gi, "$1"), "hex").toString("utf8"),
  );

/** Full-width letters, digits and signs (U+FF01 to U+FF5E) as their ASCII counterparts. */
const withoutFullWidth: View = (text) =>
  text.replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0));

const VIEWS: readonly (readonly [needed: RegExp, view: View])[] = [
  [/%[0-9a-f]{2}/i, withoutPercents],
  [/[\uff01-\uff5e]/, withoutFullWidth],
];

/** What one marker uncovers beside it is found in the next round; a text that holds nothing takes one. */
const MAX_ROUNDS = 4;

/** A function that applies the recognisers in their order; a view in which one of them finds something is the result. */
export const createTextRedactor = (table: readonly Recogniser[]) => {
  const redactOnce = (text: string): string => table.reduce((redacted, { redact }) => redact(redacted), text);
  const redactViews = (text: string): string => {
    let redacted = redactOnce(text);
    for (const [needed, view] of VIEWS) {
      if (!needed.test(redacted)) continue;
      const seen = view(redacted);
      const redactedView = redactOnce(seen);
      if (redactedView !== seen) redacted = redactedView;
    }
    return redacted;
  };
  return (text: string): string => {
    let redacted = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = redactViews(redacted);
      if (next === redacted) break;
      redacted = next;
    }
    return redacted;
  };
};

/** A text without anything sensitive; each place says what was there (`[redacted:card]`). */
export const redactText = createTextRedactor(recognisers);

/** The same for an id of our own records: digits stay, because an issuer of tokens may use any number for a user. */
export const redactIdentifier = createTextRedactor(recognisers.filter(({ readsDigits }) => readsDigits !== true));
