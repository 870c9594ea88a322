/** What the rules over money stand on: the counts of an hour with what came before it, and early fraud warnings. Pure. */
import { type Measure, type MoneyHistory, moneyBaseline, moneyPrior } from "../../money/money-baseline.ts";
import type { HourCounts } from "../../money/money-counts.ts";
import { HOUR_MS } from "../../terms/hours.ts";
import { expectedIn, type Surprise, surpriseOf } from "./surprise.ts";
import type { Hour } from "./windows.ts";

/** `history`: with the judged hours of 28 days before the hour's day, and of its own day. */
export type MoneyInput = { hour: Hour; counts: HourCounts; history: MoneyHistory };

/**
 * An early fraud warning. `at`: the provider's time, epoch ms. `payment`: the payment intent, else the charge. `place`: it
 * was the first, second, … to be counted of its UTC day.
 */
export type FraudWarning = { eventId: string; at: number; payment: string; place: number };

const baselineOf = ({ hour, history }: MoneyInput, measure: Measure) => {
  const baseline = moneyBaseline(history, measure, hour.start);
  return { baseline, prior: moneyPrior(baseline, measure) };
};

/** Undefined if the number of the hour is plausible, or below `least`. */
export const moneySurprise = (
  input: MoneyInput,
  measure: Measure,
  { count, ...limits }: { count: number; least: number; improbability: number },
): Surprise | undefined => {
  const { baseline, prior } = baselineOf(input, measure);
  return surpriseOf(count, baseline, { prior, ...limits });
};

/** The number that a busy hour is expected to have. */
export const expectedMoney = (input: MoneyInput, measure: Measure): number => {
  const { baseline, prior } = baselineOf(input, measure);
  return baseline.hours + prior.hours === 0 ? 0 : expectedIn(baseline, prior);
};

/** The sum over the judged hours of the time before the hour's end, with the hour itself. @param spanMs whole hours. */
export const sumOver = ({ hour, counts, history }: MoneyInput, of: (counts: HourCounts) => number, spanMs: number) =>
  [...history.hours]
    .filter(([start]) => start >= hour.end - spanMs && start <= hour.start - HOUR_MS)
    .reduce((sum, [, one]) => sum + of(one), of(counts));
