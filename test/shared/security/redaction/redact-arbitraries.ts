/** Secrets, texts and values that contain them, and harmless data that redaction must keep. */
import { fc } from "../../../support/fixed-seed.ts";

/** A secret as written, and the strings that must not remain after redaction. */
export type Planted = { written: string; needles: readonly string[] };

const characters = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const DIGITS = "0123456789";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALPHANUMERIC = `${DIGITS}${UPPER}${UPPER.toLowerCase()}`;

/** The check digit, doubling from the left: another algorithm than the tested code. */
const withLuhnDigit = (digits: string): string => {
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const doubled = i % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + Math.trunc(doubled / 10) + (doubled % 10);
  }, 0);
  return digits + ((10 - (sum % 10)) % 10);
};

const inGroups = (text: string, sizes: readonly number[], separator: string): string => {
  const groups: string[] = [];
  let from = 0;
  for (let i = 0; from < text.length; i++) {
    const size = sizes[i % sizes.length] ?? 4;
    groups.push(text.slice(from, from + size));
    from += size;
  }
  return groups.join(separator);
};

/** 13 to 19 digits of any issuer. 13 digits that begin with 1 are a time, so they are left out. */
const cardDigits = fc
  .tuple(fc.integer({ min: 12, max: 18 }), fc.integer({ min: 2, max: 9 }), characters(DIGITS, 18))
  .map(([length, first, rest]) => withLuhnDigit((first + rest).slice(0, length)))
  .filter((digits) => !/^20\d{12}$/.test(digits));

const separators = fc.constantFrom("", " ", "-", ".", "+", "\u00a0", "\u2013", " - ", "  ");

const card: fc.Arbitrary<Planted> = fc
  .tuple(cardDigits, separators, fc.constantFrom([4], [4, 6, 5], [6, 13], [8], [1], [5, 3]))
  .map(([digits, separator, sizes]) => {
    const written = inGroups(digits, sizes, separator);
    return { written, needles: [written, digits] };
  })
  // Such a group is a time.
  .filter(({ written }) => !/(?<!\d)1\d{12}(?!\d)/.test(written));

const ibanOf = (country: string, body: string): string => {
  const spelled = [...`${body}${country}00`].map((c) => Number.parseInt(c, 36)).join("");
  return country + String(98n - (BigInt(spelled) % 97n)).padStart(2, "0") + body;
};

const iban: fc.Arbitrary<Planted> = fc
  .tuple(
    fc.oneof(
      characters(DIGITS, 18).map((body) => ibanOf("DE", body)),
      characters(DIGITS, 14).map((digits) => ibanOf("GB", `NWBK${digits}`)),
      characters(DIGITS, 11).map((body) => ibanOf("NO", body)),
      characters(`${DIGITS}${UPPER}`, 27).map((body) => ibanOf("MT", body)),
    ),
    fc.constantFrom("", " ", "-"),
    fc.boolean(),
  )
  .map(([number, separator, lower]) => {
    const written = inGroups(lower ? number.toLowerCase() : number, [4], separator);
    return { written, needles: [written, lower ? number.toLowerCase() : number] };
  });

const whole = (written: string): Planted => ({ written, needles: [written] });
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Secrets that are recognised anywhere. */
export const evident: fc.Arbitrary<Planted> = fc.oneof(
  card,
  iban,
  fc
    .tuple(fc.uuid(), characters(ALPHANUMERIC, 43))
    .map(([sub, signature]) => `${base64url({ alg: "RS256" })}.${base64url({ sub })}.${signature}`)
    .map((token) => ({ written: token, needles: token.split(".") })),
  fc
    .tuple(fc.constantFrom("sk_live_", "sk_test_", "rk_test_", "pk_live_", "whsec_"), characters(ALPHANUMERIC, 8, 40))
    .map(([prefix, rest]) => ({ written: prefix + rest, needles: [rest] })),
  fc
    .tuple(fc.constantFrom("ac_", "rt_"), characters(ALPHANUMERIC, 16, 32))
    .map(([prefix, rest]) => ({ written: prefix + rest, needles: [rest] })),
  fc
    .tuple(fc.constantFrom("Bearer", "bearer", "Authorization: Bearer"), characters(`${ALPHANUMERIC}-._~+/`, 20, 60))
    .map(([scheme, rest]) => [scheme, `${rest}7a`] as const)
    .map(([scheme, token]) => ({ written: `${scheme} ${token}`, needles: [token] })),
  fc
    .tuple(characters(ALPHANUMERIC, 5, 9), characters(ALPHANUMERIC, 8, 12))
    .map(([user, password]) => Buffer.from(`${user}:${password}`).toString("base64"))
    .map((credentials) => ({ written: `Authorization: Basic ${credentials}`, needles: [credentials] })),
  characters(`${DIGITS}${UPPER}`, 16).map((rest) => whole(`AKIA${rest}`)),
  characters(ALPHANUMERIC, 8, 20).map((password) => ({
    written: `https://admin:${password}@db.example.com/x`,
    needles: [password],
  })),
);

/** Names of secrets in many spellings, with prefixes and suffixes. */
const secretName = fc
  .tuple(
    fc.constantFrom(["password"], ["client", "secret"], ["api", "key"], ["access", "token"], ["webhook", "secret"]),
    fc.constantFrom([], ["old"], ["x", "my"]),
    fc.constantFrom([], ["value"], ["2"]),
    fc.constantFrom("camel", "snake", "kebab", "upper", "header", "dotted"),
  )
  .map(([name, prefix, suffix, spelling]) => {
    const words = [...prefix, ...name, ...suffix];
    const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
    if (spelling === "camel") return words.map((word, i) => (i === 0 ? word : capital(word))).join("");
    if (spelling === "header") return words.map(capital).join("-");
    if (spelling === "upper") return words.join("_").toUpperCase();
    return words.join(spelling === "snake" ? "_" : spelling === "kebab" ? "-" : ".");
  });

const secretValue = characters(`${ALPHANUMERIC}!#$*+/?@^_~.-`, 6, 40).map((value) => `${value}q7`);

/** A secret that is recognised only by its name. */
const named = fc.tuple(secretName, secretValue);

/** Surrounding text of people and programs that ends at a word boundary. */
const words = fc.constantFrom(
  "",
  "failed:",
  "the charge (",
  "user 17 sent",
  "status=402;",
  "GET /v1/charges?limit=3",
  "→",
  "\n\tat",
  "é",
  "100%",
  "{",
  "'",
);
/** Any text, separated from the secret by a space. */
const around = fc.oneof(words, fc.string({ maxLength: 12 }), fc.string({ unit: "grapheme", maxLength: 6 }));

const stringified = (value: unknown, times: number): string => {
  let text = JSON.stringify(value);
  for (let i = 1; i < times; i++) text = JSON.stringify({ message: text, attempt: i });
  return text;
};

const encoded = (text: string, times: number): string => {
  let result = text;
  for (let i = 0; i < times; i++) result = encodeURIComponent(result);
  return result;
};

const evidentText = fc
  .tuple(evident, around, around, fc.constantFrom("text", "json", "query", "error"), fc.integer({ min: 1, max: 3 }))
  .map(([{ written, needles }, before, after, carrier, times]) => {
    const text = `${before} ${written} ${after}`;
    if (carrier === "json") return { text: stringified({ note: text }, times), needles };
    if (carrier === "query") return { text: `https://x.example/y?q=${encoded(written, times)}&limit=10`, needles };
    return { text: carrier === "error" ? `StripeError: ${text}` : text, needles };
  });

const namedText = fc
  .tuple(
    named,
    words,
    fc.constantFrom("equals", "colon", "json", "query", "form", "tag", "inspect"),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([[name, value], before, carrier, times]) => {
    const needles = [value];
    if (carrier === "json") return { text: `${before} ${stringified({ n: 1, [name]: value, z: 2 }, times)}`, needles };
    if (carrier === "query")
      return { text: `https://x.example/y?n=1&${name}=${encodeURIComponent(value)}&z=2`, needles };
    if (carrier === "form") return { text: encoded(`n=1&data[${name}]=${value}&z=2`, times), needles };
    if (carrier === "tag") return { text: `<n>1</n><${name}>${value}</${name}>`, needles };
    if (carrier === "inspect") return { text: `{ n: 1, '${name}': '${value}', z: 2 }`, needles };
    return { text: `${before} ${name}${carrier === "equals" ? "=" : ": "}${value} and more`, needles };
  });

/** A text with a secret in it. */
export const secretText: fc.Arbitrary<{ text: string; needles: readonly string[] }> = fc.oneof(evidentText, namedText);

const key = fc.constantFrom("note", "message", "details", "input", "raw", "x", "error", "location");

/** A value with a secret in a key or in a value, at some depth. */
export const secretValueAnywhere = fc
  .tuple(
    fc.oneof(
      secretText.map(({ text, needles }) => ({ value: text as unknown, needles })),
      fc
        .tuple(evident, fc.integer())
        .map(([{ written, needles }, n]) => ({ value: { [written]: n } as unknown, needles })),
      named.map(([name, value]) => ({ value: { [name]: value } as unknown, needles: [value] })),
      named.map(([name, value]) => ({ value: { name, value } as unknown, needles: [value] })),
      named.map(([name, value]) => ({ value: { [name]: [{ a: [value] }] } as unknown, needles: [value] })),
      cardDigits
        .filter((digits) => digits.length <= 15)
        .map((digits) => ({ value: { number: Number(digits) } as unknown, needles: [digits] })),
      cardDigits.map((digits) => ({ value: [BigInt(digits)] as unknown, needles: [digits] })),
    ),
    fc.array(fc.tuple(key, fc.constantFrom("object", "array", "both")), { maxLength: 6 }),
  )
  .map(([{ value, needles }, path]) => ({
    needles,
    value: path.reduce<unknown>((inner, [name, kind]) => {
      if (kind === "array") return ["before", inner, 42];
      return { durationMs: 12, [name]: kind === "both" ? [inner] : inner, success: false };
    }, value),
  }));

const epochMs = fc.integer({ min: 1_000_000_000_000, max: 1_999_999_999_999 });
const providerId = fc
  .tuple(fc.constantFrom("cus", "in", "sub", "pi", "ch", "evt", "acct", "price"), characters(ALPHANUMERIC, 14, 24))
  .map(([prefix, rest]) => `${prefix}_${rest}`);
const numericProviderId = fc
  .tuple(fc.constantFrom("cus", "in", "sub", "pi", "ch", "evt", "acct"), cardDigits)
  .map(([prefix, digits]) => `${prefix}_${digits}`);

/** Times, ids and addresses as text. */
export const survivingText = fc.oneof(
  epochMs.map(String),
  epochMs.map((ms) => new Date(ms).toISOString()),
  epochMs.map((ms) => String(Math.trunc(ms / 1000))),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.ulid(),
  providerId,
  numericProviderId,
  fc.ipV4(),
  fc.ipV6(),
  fc.integer({ min: 0, max: 999_999_999_999 }).map(String),
  fc.integer({ min: 0, max: 99_999_999 }).map((cents) => `${(cents / 100).toFixed(2)} EUR`),
  fc.uuid().map((id) => `org_${id.replaceAll("-", "").slice(0, 20)}`),
  characters(DIGITS, 12).map((account) => `arn:aws:secretsmanager:eu-central-1:${account}:secret:oauth`),
  characters("0123456789abcdef", 64),
  characters("0123456789abcdef", 24)
    .map((id) => `1-67891233-${id}`)
    .filter((id) => /[a-f]/.test(id.slice(-24, -12))),
);

/** Objects with our own numeric fields, whatever their digits. */
export const survivingFields = fc.record({
  timestamp: epochMs,
  createdAt: epochMs,
  tokenExpiresAt: epochMs,
  durationMs: fc.nat(),
  attempts: fc.nat(20),
  retryAfterMs: fc.nat(),
  batchSize: fc.nat(1000),
  amountDue: fc.oneof(fc.integer(), cardDigits.filter((digits) => digits.length <= 15).map(Number)),
  amountPaid: fc.integer(),
  organizationId: fc.oneof(fc.uuid(), cardDigits, providerId),
  userId: fc.oneof(
    cardDigits,
    cardDigits.map((digits) => `facebook|${digits}`),
  ),
  requestId: fc.uuid(),
  resource: providerId,
  ipAddress: fc.oneof(fc.ipV4(), fc.ipV6()),
  success: fc.boolean(),
  byCategory: fc.record({ authorization: fc.nat(), authentication: fc.nat() }),
  byType: fc.record({ PROVIDER_TOKEN_REFRESH: fc.record({ count: fc.nat(), failed: fc.nat() }) }),
});
