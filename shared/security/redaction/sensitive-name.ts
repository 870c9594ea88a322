/** Whether a value is sensitive because of the name of its field, header or parameter. */

export type NameMeaning = {
  /** The kind of secret for the marker; undefined if the name is not the name of a secret. */
  secret?: string;
  /** Whether a JSON number under this name is secret too (a PIN); numbers under `token` are counts. */
  numbersToo?: true;
  /** Whether only a long random value is secret: `key` has many meanings. */
  onlyRandom?: true;
  /** Whether it is one of the service's numeric fields (times, amounts, counts), whose numbers stay. */
  numeric?: true;
  /** Whether it is an id of the service's records, whose digits stay. */
  identifier?: true;
};

/** Matched with the words of a name between underscores: `_api_key_` for apiKey, API-Key and api.key. */
const SECRETS: readonly [pattern: RegExp, meaning: NameMeaning][] = [
  [
    /card_?(?:number|num|no)_|_cc_?(?:number|num|no)_|(?:credit|debit)_?card_$|_pan_/,
    { secret: "card", numbersToo: true },
  ],
  [/cvc|cvv|_cvn|_csc_|(?:security|card|verification)_?(?:code|value)_/, { secret: "cvc", numbersToo: true }],
  [/(?:account|acct|routing|transit)_?(?:number|num|nr|no)_|bank_?account_$/, { secret: "account", numbersToo: true }],
  [
    /_routing_$|sort_?code|_iban|_clabe_|_(?:aba|bsb)_?(?:number|num|nr|no|code)_/,
    { secret: "account", numbersToo: true },
  ],
  [/pass_?(?:word|wd|phrase|code)|pwd|_pw_|_pass_|_pin_|_t?otp_/, { secret: "password", numbersToo: true }],
  [/secret|credential|code_?verifier/, { secret: "secret", numbersToo: true }],
  [/authorization|_auth_$|auth_?header/, { secret: "authorization" }],
  [/cookie/, { secret: "cookie" }],
  [/token|bearer|_jwt_|auth_?code/, { secret: "token" }],
  [/signature|_sig_/, { secret: "signature" }],
  [
    /(?:api|access|account|admin|auth|crypto|encryption|hmac|license|master|private|publishable|restricted|root|service|session|shared|signing|ssh|webhook)_?keys?_/,
    { secret: "key" },
  ],
  [/keys?_$|_(?:auth|hmac|nonce|salt|seed)_/, { secret: "key", onlyRandom: true }],
];

/** Names that describe a secret but are not its name: `tokenExpiresAt`, `cvc_check`, `secretArn`. */
const DESCRIPTION =
  /_(?:age|algorithm|arn|at|check|count|endpoint|errors?|expired|expires(?:_in)?|expiry|failures?|kind|last_?4|length|method|ms|reasons?|refresh|required|seconds|status|ttl|type|ur[il]|use|valid|version|violations?)_$/;
const NUMERIC =
  /amount|duration|_(?:at|attempts?|bytes|count|created|days|due|hours|in|interval|limit|minutes|ms|paid|price|quantity|rate|seconds|since|size|time|timestamp|total|ts|until)s?_$|_ids?_$/;
const IDENTIFIER =
  /^_(?:alert|correlation|event|organization|request|run|session|trace|user)_ids?_$|^_[a-z]+_by_$|^_sub(?:ject)?_$/;

const readName = (name: string): NameMeaning => {
  const words = name
    // A key must have the same meaning after it was redacted itself.
    .replace(/\[redacted:[a-z_]+\]/g, "")
    .normalize("NFKC")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([a-zA-Z])(\d)/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_");
  const form = `_${words}_`.replace(/_{2,}/g, "_");
  const secret = DESCRIPTION.test(form) ? undefined : SECRETS.find(([pattern]) => pattern.test(form));
  if (secret !== undefined) return secret[1];
  if (IDENTIFIER.test(form)) return { identifier: true, numeric: true };
  return NUMERIC.test(form) ? { numeric: true } : {};
};

/** A cache of names, which repeat in every event. A longer name may itself be a secret. */
const MAX_CACHED = 1_000;
const MAX_CACHED_LENGTH = 40;
const cache = new Map<string, NameMeaning>();

export const meaningOfName = (name: string): NameMeaning => {
  const cached = cache.get(name);
  if (cached !== undefined) return cached;
  const meaning = readName(name.slice(-200));
  if (cache.size < MAX_CACHED && name.length <= MAX_CACHED_LENGTH) cache.set(name, meaning);
  return meaning;
};

const PROVIDER_ID = /^[a-z]{2,6}_(?:(?:test|live)_)?[A-Za-z0-9]+$/;

/** Whether a value looks random: 20 characters with upper case, lower case and digits, or 32 of base 36. */
export const isRandom = (value: string): boolean =>
  !PROVIDER_ID.test(value) &&
  ((/^[\w+/=~-]{20,}$/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value)) ||
    (/^[a-z0-9]{32,}$/i.test(value) && /\d/.test(value) && /[a-z]/i.test(value)));
