/** What the name of a field, header or parameter says about its value. */

export type NameMeaning = {
  /** What the marker says; undefined where the name says nothing of secrets. */
  secret?: string;
  /** True where even a JSON number under this name is secret (a PIN); numbers under `token` are counts. */
  numbersToo?: true;
  /** True where only a long random value is secret: `key` is a word for many things. */
  onlyRandom?: true;
  /** True for our own numeric fields, times, amounts, counts: numbers under them stay. */
  numeric?: true;
  /** True for the ids that tie our records together: digits in them stay. */
  identifier?: true;
};

/** Read on the words of a name between underscores: `_api_key_` for apiKey, API-Key and api.key. */
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

/** `tokenExpiresAt`, `cvc_check` and `secretArn` describe a secret and are none. */
const DESCRIPTION =
  /_(?:age|algorithm|arn|at|check|count|endpoint|errors?|expired|expires(?:_in)?|expiry|failures?|kind|last_?4|length|method|ms|reasons?|refresh|required|seconds|status|ttl|type|ur[il]|use|valid|version|violations?)_$/;
const NUMERIC =
  /amount|duration|_(?:at|attempts?|bytes|count|created|days|due|hours|in|interval|limit|minutes|ms|paid|price|quantity|rate|seconds|since|size|time|timestamp|total|ts|until)s?_$|_ids?_$/;
const IDENTIFIER =
  /^_(?:alert|correlation|event|organization|request|run|session|trace|user)_ids?_$|^_[a-z]+_by_$|^_sub(?:ject)?_$/;

const readName = (name: string): NameMeaning => {
  const words = name
    // So that a key means the same after it was redacted itself.
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

/** Names repeat in every event, so what was read of the first ones is kept. A longer name may itself be a secret. */
const MAX_KEPT = 1_000;
const MAX_NAME_KEPT = 40;
const kept = new Map<string, NameMeaning>();

export const meaningOfName = (name: string): NameMeaning => {
  const known = kept.get(name);
  if (known !== undefined) return known;
  const meaning = readName(name.slice(-200));
  if (kept.size < MAX_KEPT && name.length <= MAX_NAME_KEPT) kept.set(name, meaning);
  return meaning;
};

const PROVIDER_ID = /^[a-z]{2,6}_(?:(?:test|live)_)?[A-Za-z0-9]+$/;

/** Whether a value looks drawn at random: 20 characters of three kinds, or 32 of hexadecimal or base 36. */
export const isRandom = (value: string): boolean =>
  !PROVIDER_ID.test(value) &&
  ((/^[\w+/=~-]{20,}$/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value)) ||
    (/^[a-z0-9]{32,}$/i.test(value) && /\d/.test(value) && /[a-z]/i.test(value)));
