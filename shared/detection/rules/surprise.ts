/** How surprising an hour is against a baseline. Pure. */
import { poissonTail } from "./poisson.ts";
import type { Baseline } from "./rule.ts";

/** Decisions: a finding needs a probability below this. In 10,000 organizations' hours that is one in four days. */
export const SURPRISING = 1e-6;

/**
 * What is believed of an hour before anything is known: a Gamma distribution, given as what somebody would believe who
 * had seen so many in so many hours. It is conjugate to counts, so that what was seen is simply added:
 * https://en.wikipedia.org/wiki/Conjugate_prior
 */
export type Prior = { calls: number; hours: number };

/** From so many days on, one of them may have been out of the ordinary: the second busiest says what is usual. */
const DAYS_FOR_SECOND_PEAK = 14;

const usualPeak = ({ dailyPeaks, hours }: Baseline): number => {
  const [busiest = 0, second = 0] = dailyPeaks.toSorted((a, b) => b - a);
  return hours >= DAYS_FOR_SECOND_PEAK * 24 ? second : busiest;
};

/**
 * What to expect of an hour that is busy as some are: the mean, or what the busiest hour of most days had. The mean
 * alone would raise an alert of whoever works by day, on Mondays, or by a schedule of some hours.
 */
export const expectedIn = (baseline: Baseline, prior: Prior): number =>
  Math.max((prior.calls + baseline.calls) / (prior.hours + baseline.hours), usualPeak(baseline));

export type Surprise = { expected: number; probability: number };

/** Undefined where the count is not surprising, or below a least one, under which nobody is bothered. */
export const surpriseOf = (
  count: number,
  baseline: Baseline,
  { prior, least }: { prior: Prior; least: number },
): Surprise | undefined => {
  if (count < least) return undefined;
  const expected = expectedIn(baseline, prior);
  const probability = poissonTail(count, expected);
  return probability < SURPRISING ? { expected, probability } : undefined;
};
