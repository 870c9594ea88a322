/** How surprising a count is against a baseline: a Poisson tail, with a Gamma prior. Pure. */
import type { Baseline } from "./baseline.ts";

const LANCZOS_G = 7;
/** Lanczos approximation to 15 digits: https://en.wikipedia.org/wiki/Lanczos_approximation */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The logarithm of n!, for n ≥ 0. */
export const logFactorial = (n: number): number => {
  const sum = LANCZOS.reduce(
    (total, coefficient, index) => total + (index === 0 ? coefficient : coefficient / (n + index)),
    0,
  );
  const shifted = n + LANCZOS_G + 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (n + 0.5) * Math.log(shifted) - shifted + Math.log(sum);
};

/** The logarithm of the probability of exactly `count`. In logarithms nothing overflows. */
const logProbability = (count: number, rate: number): number => count * Math.log(rate) - rate - logFactorial(count);

/** Terms below this share of the sum change no digit of it. */
const NEGLIGIBLE = 1e-17;

/** The sum of falling terms, in units of the first; each term is the one before times `factor`. */
const sumFalling = (factor: (step: number) => number): number => {
  let sum = 1;
  let term = 1;
  for (let step = 1; term > sum * NEGLIGIBLE; step++) {
    term *= factor(step);
    sum += term;
  }
  return sum;
};

/**
 * The probability of `count` events or more at an expected number of `rate`: from 0 to 1, exact to about ten digits; 0
 * below the smallest number.
 * @param count a whole number.
 */
export const poissonTail = (count: number, rate: number): number => {
  if (count <= 0) return 1;
  if (rate <= 0) return 0;
  // Summed from the largest term, so that small tails keep their digits: above the rate the terms of P(X ≥ count) fall.
  if (count > rate) {
    const sum = sumFalling((step) => rate / (count + step));
    return Math.min(1, Math.exp(logProbability(count, rate) + Math.log(sum)));
  }
  // Below the rate the terms of P(X < count) fall, from the last on.
  const sum = sumFalling((step) => Math.max(0, count - step) / rate);
  return Math.max(0, 1 - Math.exp(logProbability(count - 1, rate) + Math.log(sum)));
};

/**
 * The prior of an hour's rate: a Gamma distribution, given as a number of calls in a number of hours. It is conjugate to counts,
 * so the counts of the baseline are added: https://en.wikipedia.org/wiki/Conjugate_prior
 */
export type Prior = { calls: number; hours: number };

/** From this many days on, the second busiest hour counts as the peak: one day may have been an exception. */
const DAYS_FOR_SECOND_PEAK = 14;

const peakOf = ({ dailyPeaks, hours }: Baseline): number => {
  const [busiest = 0, second = 0] = dailyPeaks.toSorted((a, b) => b - a);
  return hours >= DAYS_FOR_SECOND_PEAK * 24 ? second : busiest;
};

/**
 * The expected count of a busy hour: the mean, or the peak, whichever is greater. With the mean alone, every Monday or
 * scheduled job would be a finding.
 */
export const expectedIn = (baseline: Baseline, prior: Prior): number =>
  Math.max((prior.calls + baseline.calls) / (prior.hours + baseline.hours), peakOf(baseline));

export type Surprise = { expected: number; probability: number };

/** Undefined if the count is below `least`, or its probability is not below 10 to the power of −`improbability`. */
export const surpriseOf = (
  count: number,
  baseline: Baseline,
  { prior, least, improbability }: { prior: Prior; least: number; improbability: number },
): Surprise | undefined => {
  if (count < least) return undefined;
  const expected = expectedIn(baseline, prior);
  const probability = poissonTail(count, expected);
  return probability < 10 ** -improbability ? { expected, probability } : undefined;
};

const DIGITS = 1_000;

/** An expected count as evidence contains it: to three decimals. */
export const roundExpected = (expected: number): number => Math.round(expected * DIGITS) / DIGITS;
