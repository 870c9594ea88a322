/** Card numbers and IBANs against the tables of libraries: credit-card-type and ibantools. */
import { describe, expect, it } from "@jest/globals";
import creditCardType from "credit-card-type";
import { countrySpecs, isValidIBAN } from "ibantools";
import { redactText } from "../../../../shared/security/redaction/redact-text.ts";
import { depth } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";

const fill = (pattern: fc.Arbitrary<string>, count: number): string[] =>
  fc.sample(pattern, { numRuns: count, seed: 13 });
const digits = (count: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: count, maxLength: count });

/** The check digit after these digits, doubling from the left: another algorithm than the tested code. */
const withCheckDigit = (payload: string): string => {
  const sum = [...payload].reverse().reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + Math.trunc(doubled / 10) + (doubled % 10);
  }, 0);
  return payload + ((10 - (sum % 10)) % 10);
};

/** A range of prefixes, or one prefix. */
type Prefix = number | [number, number];
const prefixesOf = (prefix: Prefix): number[] => (typeof prefix === "number" ? [prefix] : prefix);

/** 12 digits are too common in other numbers. docs/security-events.md says so. */
const MIN_DIGITS = 13;

const cards = Object.values(creditCardType.types).flatMap((type) => {
  const { patterns, lengths } = creditCardType.getTypeInfo(type);
  return lengths
    .filter((length) => length >= MIN_DIGITS)
    .map((length): [string, number, number[]] => [type, length, patterns.flatMap((one) => prefixesOf(one as Prefix))]);
});

describe("card numbers of every issuer that credit-card-type knows", () => {
  it.each(cards)("redacts %s of %i digits, alone, in groups and beside a word", (_type, length, prefixes) => {
    for (const prefix of prefixes) {
      for (const rest of fill(digits(length), depth(1, 20))) {
        const card = withCheckDigit(`${prefix}${rest}`.slice(0, length - 1));
        for (const text of [card, `paid with ${card}.`, card.replace(/(\d{4})(?=\d)/g, "$1 "), `card${card}end`])
          expect([card, redactText(text)]).toEqual([card, expect.not.stringContaining(card.slice(-6))]);
      }
    }
  });
});

const countries = Object.entries(countrySpecs).flatMap(([country, { chars, bban_regexp: bban }]) =>
  typeof chars === "number" && typeof bban === "string" ? [[country, chars, bban] as const] : [],
);

/** The check digits by arithmetic on one large number: another algorithm than the tested code. */
const ibanOf = (country: string, bban: string): string => {
  const spelled = [...`${bban}${country}00`].map((character) => Number.parseInt(character, 36)).join("");
  return country + String(98n - (BigInt(spelled) % 97n)).padStart(2, "0") + bban;
};

describe("IBANs of every country that ibantools knows", () => {
  it("are more than a hundred", () => {
    expect(countries.length).toBeGreaterThan(110);
  });

  it.each(countries)("redacts an IBAN of %s with %i characters, whole and in groups", (country, chars, bban) => {
    for (const body of fill(fc.stringMatching(new RegExp(`^(?:${bban.replaceAll(/[$^]/g, "")})$`)), depth(2, 30))) {
      const iban = ibanOf(country, body);
      expect(iban).toHaveLength(chars);
      for (const text of [iban, `from ${iban}.`, iban.replace(/(.{4})(?=.)/g, "$1 "), iban.toLowerCase()])
        expect([text, redactText(text)]).toEqual([text, expect.stringContaining("[redacted:iban]")]);
      // One wrong digit makes it another number, for ibantools as well.
      const other = `${iban.slice(0, 2)}${iban[2]}${(Number(iban[3]) + 1) % 10}${iban.slice(4)}`;
      expect([other, isValidIBAN(other), redactText(other).includes("[redacted:iban]")]).toEqual([other, false, false]);
    }
  });
});
