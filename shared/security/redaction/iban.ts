/** International bank account numbers (ISO 13616): a country, two check digits, and as many characters as it uses. */
import { marker, type Recogniser } from "./recogniser.ts";

/** Each country's length. Source: https://www.swift.com/standards/data-standards/iban-international-bank-account-number */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  [
    "15 NO,16 BE,18 DK FI FK FO GL NL SD,19 MK SI,20 AT BA EE KZ LT LU MN XK,21 CH HR LI LV",
    "22 BG BH CR DE GB GE IE ME RS VA,23 AE GI IL IQ OM SO TL,24 AD CZ ES MD PK RO SA SE SK TN VG",
    "25 LY PT ST,26 IS TR,27 BI DJ FR GR IT MC MR SM,28 AL AZ BY CY DO GT HN HU LB NI PL SV",
    "29 BR EG PS QA UA,30 JO KW MU YE,31 MT SC,32 LC,33 RU",
  ]
    .join(",")
    .split(",")
    .flatMap((line) => {
      const [length, ...countries] = line.split(" ");
      return countries.map((country): [string, number] => [country, Number(length)]);
    }),
);

/** A UUID is stepped over: its parts may look like a beginning. */
const START =
  /(?<![A-Za-z0-9])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:iban)?([A-Z]{2})\d{2})/gi;
const NEXT_CHARACTER = /[ \t\u00a0\u2010-\u2015.+-]{0,2}([A-Za-z0-9])/y;

/** Mod 97 of the number that the characters spell (A is 10, Z is 35), the first four moved to the end. */
const hasValidCheckDigits = (iban: string): boolean => {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
};

/** Where the account number that begins here ends; undefined where none does. */
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

/** IBANs in either case, written together or in groups, with valid check digits. */
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
