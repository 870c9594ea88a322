import { describe, expect, it } from "@jest/globals";
import { logFactorial, poissonTail } from "../../../shared/detection/evidence/surprise.ts";
import { fc } from "../../support/fixed-seed.ts";

const SCALE = 10n ** 400n;

/** P(X ≥ count): the tail's terms divided by all terms, as integers in units of 10⁻⁴⁰⁰. @param rate in thousandths */
const exactTail = (count: number, rate: bigint): number => {
  let all = 0n;
  let tail = 0n;
  let term = SCALE;
  for (let j = 0; term > 0n; j++) {
    all += term;
    if (j >= count) tail += term;
    term = (term * rate) / (1_000n * BigInt(j + 1));
  }
  const digits = 10n ** 40n;
  // Compares leading digits and exponent separately: small tails have no digits in a fixed-point number.
  let exponent = 0;
  let numerator = tail;
  if (numerator === 0n) return 0;
  while (numerator < all / 10n) {
    numerator *= 10n;
    exponent++;
  }
  return (Number((numerator * digits) / all) / Number(digits)) * 10 ** -exponent;
};

const counts = fc.integer({ min: 0, max: 300 });
const rates = fc.integer({ min: 1, max: 200_000 });

describe("poissonTail", () => {
  it("equals the exact sum to nine digits", () => {
    fc.assert(
      fc.property(counts, rates, (count, thousandths) => {
        const exact = exactTail(count, BigInt(thousandths));
        const tail = poissonTail(count, thousandths / 1_000);
        if (exact < 1e-250) expect(tail).toBeLessThan(1e-240);
        else expect(Math.abs(tail / exact - 1)).toBeLessThan(1e-9);
      }),
      { numRuns: 300 },
    );
  });

  it("falls with the count and rises with the rate", () => {
    const larger = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(larger, fc.double({ min: 0.001, max: 1_000_000, noNaN: true }), (count, rate) => {
        const tail = poissonTail(count, rate);
        expect(tail).toBeGreaterThanOrEqual(0);
        expect(tail).toBeLessThanOrEqual(1);
        expect(poissonTail(count + 1, rate)).toBeLessThanOrEqual(tail + 1e-9);
        expect(poissonTail(count, rate * 1.01)).toBeGreaterThanOrEqual(tail - 1e-9);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    { count: 0, rate: 0, tail: 1 },
    { count: 0, rate: 7, tail: 1 },
    { count: -1, rate: 7, tail: 1 },
    { count: 1, rate: 0, tail: 0 },
    { count: 1_000_000, rate: 1, tail: 0 },
    { count: 1, rate: 1_000_000, tail: 1 },
  ])("of $count at a rate of $rate is $tail", ({ count, rate, tail }) => expect(poissonTail(count, rate)).toBe(tail));

  it("equals published tables", () => {
    expect(poissonTail(1, 1)).toBeCloseTo(0.632120558828558, 12);
    expect(poissonTail(5, 2)).toBeCloseTo(0.052653017343711, 12);
    expect(poissonTail(10, 10)).toBeCloseTo(0.542070285528148, 12);
  });
});

describe("logFactorial", () => {
  it("equals the logarithm of the product", () => {
    let logarithm = 0;
    for (let n = 1; n <= 1_000; n++) {
      logarithm += Math.log(n);
      expect(Math.abs(logFactorial(n) - logarithm)).toBeLessThan(1e-9);
    }
    expect(logFactorial(0)).toBeCloseTo(0, 12);
  });
});
