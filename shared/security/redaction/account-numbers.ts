/**
 * Numbers with check digits. Card numbers: 13 to 19 digits with a Luhn check digit. IBANs (ISO 13616): a country, two
 * check digits, and the country's number of characters. Both are written together or in groups.
 */
import { marker, type Recogniser } from "./recogniser.ts";

const MIN_DIGITS = 13;
const MAX_DIGITS = 19;

/** Epoch milliseconds, or YYYYMMDDhhmmss: no card of 14 digits begins with 19 or 20. */
const TIME = /^(?:1\d{12}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-5]\d)$/;

/**
 * The numbers of Visa, Mastercard, Mir, American Express, Diners, JCB, the issuers whose numbers begin with 5 or 6 (Maestro,
 * Discover, UnionPay, Elo, Verve, Troy and others), and the rest of UnionPay and Troy.
 * Source: https://github.com/braintree/credit-card-type, which a test compares.
 */
const ISSUED =
  /^(?:4\d{12,18}|5[1-5]\d{14}|2[2-7]\d{14}|220[0-4]\d{13,15}|3[47]\d{13}|3[0689]\d{12}(?:\d{2}|\d{5})?|(?:35\d\d|2131|1800)\d{12,15}|(?:5[06-9]|6\d)\d{11,17}|81\d{12,17}|9792\d{12})$/;

const passesLuhn = (digits: string): boolean => {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    sum += i % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit;
  }
  return sum > 0 && sum % 10 === 0;
};

/** Whether a text of digits is a card number and not a time. */
export const isCardNumber = (digits: string): boolean =>
  digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS && !TIME.test(digits) && passesLuhn(digits);

/** Spaces, dashes and dots of every width, invisible ones too, and the plus sign of form encoding. */
const SEPARATOR = "[ \\t\\u00a0\\u2000-\\u2015\\u202f\\u2060\\u2212\\u3000\\ufeff.+-]";

/** Skipped: UUIDs, hashes and trace ids, the provider's ids, IPv4 addresses, dates. */
const NOT_CARDS = [
  "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])",
  "[0-9a-f]{24,}(?![0-9a-z])",
  "(?<!_)(?:acct|ch|cs|cus|dp|evt|ii|il|in|inpay|pi|plan|pm|po|price|prod|py|re|req|seti|si|sub|txn|we)_(?:(?:test|live)_)?[0-9a-z]+",
  "\\d{1,3}(?:\\.\\d{1,3}){3}(?!\\.?\\d)",
  "\\d{4}-\\d\\d-\\d\\d(?![0-9-])",
].join("|");

const CANDIDATES = new RegExp(`(?<![0-9a-z])(?:${NOT_CARDS})|(\\d(?:${SEPARATOR}{0,3}\\d){12,})`, "gi");

/** How many characters before and after a run of digits are checked. */
const REACH = 24;

/** The text beside a run of digits: none, a word, or the rest of an id (letters and digits). */
type Neighbour = "none" | "word" | "id";
const neighbourOf = (token: string): Neighbour => (token === "" ? "none" : /\d/.test(token) ? "id" : "word");
/** The letter of an escape such as `\\n`, in JSON inside a string, does not count. */
const neighbourBefore = (text: string, offset: number): Neighbour =>
  neighbourOf(/(?:\\[a-z])?([a-z0-9]*)$/i.exec(text.slice(Math.max(0, offset - REACH), offset))?.[1] ?? "");
const neighbourAfter = (text: string, end: number): Neighbour =>
  neighbourOf(/^[a-z0-9]*/i.exec(text.slice(end, end + REACH))?.[0] ?? "");

/** The start and end of each part of a run that may be a card number: consecutive whole groups of digits. */
const findCards = (run: string, before: Neighbour, after: Neighbour): [number, number][] => {
  const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({
    digits,
    index,
    end: index + digits.length,
  }));
  const found: [number, number][] = [];
  for (const [first, { index }] of groups.entries()) {
    let digits = "";
    let separator: string | undefined;
    // A list of separate numbers has different separators, or short groups.
    let regular = true;
    let long = true;
    for (let last = first; last < groups.length; last++) {
      const group = groups[last];
      const previous = last > first ? groups[last - 1] : undefined;
      if (group === undefined || TIME.test(group.digits)) break;
      if (previous !== undefined) {
        const between = run.slice(previous.end, group.index);
        separator ??= between;
        regular &&= between === separator;
        long &&= previous.digits.length > 2;
      }
      digits += group.digits;
      if (digits.length > MAX_DIGITS) break;
      const beside = [first === 0 ? before : "none", last === groups.length - 1 ? after : "none"];
      if (beside.includes("id") || (beside.includes("word") && !ISSUED.test(digits))) continue;
      if ((regular || long) && isCardNumber(digits)) found.push([index, group.end]);
    }
  }
  return found;
};

/**
 * Replaces card numbers. If several numbers are possible, every group of digits of any of them is replaced. A number beside
 * a word must be of an issuer above; a number beside the rest of an id stays, because hashes have digits too.
 */
export const cardNumber: Recogniser = {
  name: "card",
  readsDigits: true,
  redact: (text) =>
    text.replace(CANDIDATES, (match: string, run: string | undefined, offset: number) => {
      if (run === undefined) return match;
      const cards = findCards(run, neighbourBefore(text, offset), neighbourAfter(text, offset + run.length));
      let redacted = "";
      let end = 0;
      for (const [from, to] of cards) {
        // Overlapping numbers share a marker.
        if (from >= end) redacted += run.slice(end, from) + marker("card");
        end = Math.max(end, to);
      }
      return redacted + run.slice(end);
    }),
};

/**
 * Each country's number of characters, also of countries that use IBANs without being in the registry.
 * Sources: https://www.swift.com/standards/data-standards/iban-international-bank-account-number and
 * https://github.com/Simplify/ibantools, which a test compares.
 */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  [
    "15 NO,16 BE,18 AX DK FI FK FO GL NL SD,19 MK SI,20 AT BA EE KZ LT LU MN XK,21 CH HR LI LV",
    "22 BG BH CR DE GB GE IE ME RS VA,23 AE GI IL IQ OM SO TL,24 AD CZ ES MD PK RO SA SE SK TN VG",
    "25 AO CV GW LY MZ PT ST,26 DZ IR IS TR",
    "27 BI BL CF CG CM DJ FR GA GF GP GQ GR IT KM MC MF MG MQ MR NC PF PM RE SM TD TF WF YT",
    "28 AL AZ BF BJ BY CI CY DO GT HN HU LB MA ML NE NI PL SN SV TG",
    "29 BR EG PS QA UA,30 JO KW MU YE,31 MT SC,32 LC,33 RU",
  ]
    .join(",")
    .split(",")
    .flatMap((line) => {
      const [length, ...countries] = line.split(" ");
      return countries.map((country): [string, number] => [country, Number(length)]);
    }),
);

/** The start of an IBAN. UUIDs are skipped: their parts may look like a start. */
const START =
  /(?<![A-Za-z0-9])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:iban)?([A-Z]{2})\d{2})/gi;
const NEXT_CHARACTER = /[ \t\u00a0\u2010-\u2015.+-]{0,2}([A-Za-z0-9])/y;

/** The first four characters move to the end, letters become numbers (A is 10, Z is 35), and the result is 1 mod 97. */
const hasValidCheckDigits = (iban: string): boolean => {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
};

/** The end of the IBAN that starts here; undefined if no valid IBAN starts here. */
const findEnd = (text: string, start: number, length: number): number | undefined => {
  let iban = "";
  NEXT_CHARACTER.lastIndex = start;
  while (iban.length < length) {
    const next = NEXT_CHARACTER.exec(text);
    if (next === null) return undefined;
    iban += next[1];
  }
  const end = NEXT_CHARACTER.lastIndex;
  return /[A-Za-z0-9]/.test(text.charAt(end)) || !hasValidCheckDigits(iban) ? undefined : end;
};

/** Replaces IBANs in upper or lower case. */
export const iban: Recogniser = {
  name: "iban",
  readsDigits: true,
  redact: (text) => {
    let redacted = "";
    let done = 0;
    START.lastIndex = 0;
    for (let match = START.exec(text); match !== null; match = START.exec(text)) {
      const start = START.lastIndex - 4;
      const length = LENGTHS.get((match[1] ?? "").toUpperCase());
      if (length === undefined) continue;
      const end = findEnd(text, start, length);
      if (end === undefined) continue;
      redacted += text.slice(done, start) + marker("iban");
      done = end;
      START.lastIndex = end;
    }
    return redacted + text.slice(done);
  },
};
