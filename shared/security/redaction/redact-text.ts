import { cardNumber, iban } from "./account-numbers.ts";
import { namedValue } from "./named-value.ts";
import { byPattern, type Recogniser } from "./recogniser.ts";
import { vendorKeys } from "./vendor-keys.ts";

/** Whether a text after "Bearer" is a credential and not prose: it has a digit or mixed case, or is long. */
const looksGenerated = (text: string): boolean => /\d|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(text) || text.length >= 16;

/**
 * All recognisers, in the order of use. Patterns that may contain spaces or line breaks come before named values, which end
 * at a space. Each pattern starts at a literal or at the edge of a word and repeats only disjoint character classes, so
 * its time is linear. A word may also start after an escaped line break (`\\n`), as in JSON.
 */
export const recognisers: readonly Recogniser[] = [
  byPattern(
    "private_key",
    /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END[^-]{0,60}-----|$)/g,
  ),
  // https://user:password@host
  byPattern("credentials", /(?<kept>:\/\/)[^\s/?#"'<>\\]+(?=@)/g, (found) => !/^\[redacted:[a-z_]+\]$/.test(found)),
  // Also other JSON objects in base64, and encrypted tokens of five parts.
  byPattern(
    "jwt",
    /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))eyJ(?:[\w+/-]|%2[BF]){8,}(?:=|%3D){0,2}(?:(?<==|%3D)_(?:[\w+/]|%2[BF]){43})?(?:\.[\w-]*){0,4}/g,
  ),
  // The provider's keys (also publishable, restricted and ephemeral keys), and the secrets of its client-side objects.
  byPattern(
    "api_key",
    /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:[a-z]{1,2}k_(?:live|test|prod|org)_[\w-]+|[eprs]k_[A-Za-z0-9]{16,})/g,
  ),
  byPattern("webhook_secret", /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))whsec_[\w+/=-]{4,}/g),
  byPattern("oauth", /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:ac|rt)_[\w-]{4,}/g, (found) =>
    looksGenerated(found.slice(3)),
  ),
  byPattern("client_secret", /_secret_[A-Za-z0-9]{16,}/g),
  // Access key ids, and session tokens by their first characters.
  byPattern(
    "aws_key",
    /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}(?![A-Z0-9])|(?:IQoJ|FwoG|FQoG)[\w+/]{40,}={0,2})/g,
  ),
  ...vendorKeys,
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
    looksGenerated,
  ),
];

/** Decodes a text that may hide a secret. */
type Decoder = (text: string) => string;

/** Undoes percent-encoding, even if the text was encoded several times (%2525 and so on). */
const decodePercents: Decoder = (text) =>
  text.replace(/(?:%(?:25)*[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replace(/%(?:25)*([0-9a-f]{2})/gi, "$1"), "hex").toString("utf8"),
  );

/** Replaces full-width letters, digits and signs (U+FF01 to U+FF5E) by ASCII. */
const decodeFullWidth: Decoder = (text) =>
  text.replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0));

const DECODERS: readonly (readonly [needed: RegExp, decode: Decoder])[] = [
  [/%[0-9a-f]{2}/i, decodePercents],
  [/[\uff01-\uff5e]/, decodeFullWidth],
];

/** A marker may make the text beside it recognisable in the next round. A text without secrets takes one round. */
const MAX_ROUNDS = 4;

/** Makes a redactor that applies recognisers in their order. If a decoded text has a secret, the decoded text is used. */
export const createTextRedactor = (table: readonly Recogniser[]) => {
  const redactOnce = (text: string): string => table.reduce((redacted, { redact }) => redact(redacted), text);
  const redactDecoded = (text: string): string => {
    let redacted = redactOnce(text);
    for (const [needed, decode] of DECODERS) {
      if (!needed.test(redacted)) continue;
      const decoded = decode(redacted);
      const next = redactOnce(decoded);
      if (next !== decoded) redacted = next;
    }
    return redacted;
  };
  return (text: string): string => {
    let redacted = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = redactDecoded(redacted);
      if (next === redacted) break;
      redacted = next;
    }
    return redacted;
  };
};

/** Replaces everything sensitive in a text by a marker that names its kind (`[redacted:card]`). */
export const redactText = createTextRedactor(recognisers);

/** The same for an id of the service's records. Its digits stay, because a user id may be any number. */
export const redactIdentifier = createTextRedactor(recognisers.filter(({ readsDigits }) => readsDigits !== true));
