/**
 * What the 28 days before a time make expected of payments and refunds. The answer of GET …/money and the rules over money
 * use the same functions. Pure.
 */
import { DAY_MS, dayName, HOUR_MS, startOfDay, timeOfName } from "../terms/hours.ts";
import type { DayCounts, HourCounts } from "./money-counts.ts";

const BASELINE_DAYS = 28;

/** With fewer days of baseline, the prior counts too. */
const PRIOR_BELOW_MS = 7 * DAY_MS;

/** The numbers that have a baseline. */
export type Measure = "failed" | "refunds" | "succeeded" | "small";

/** Worth two hours: 2 failed payments and 1 refund an hour. */
const PRIOR_HOURS = 2;
const PRIOR_CALLS: Partial<Record<Measure, number>> = { failed: 4, refunds: 2 };

/** `days`: the counted ones, oldest first. `hours`: the judged ones of these days, by their start in epoch ms. */
export type MoneyHistory = { days: readonly DayCounts[]; hours: ReadonlyMap<number, HourCounts> };

/** A total over hours, and the number of each day's busiest hour, as detection compares counts with it. */
export type MoneyBaseline = { calls: number; hours: number; dailyPeaks: readonly number[] };

/** The start of the first day that a baseline contains, epoch ms. */
export const baselineStart = (at: number): number => startOfDay(at) - BASELINE_DAYS * DAY_MS;

/** The counts of hours by their day, of those from the start of the baseline up to a time. */
const hoursBefore = ({ hours }: MoneyHistory, at: number): Map<string, HourCounts[]> => {
  const before = [...hours].filter(([start]) => start >= baselineStart(at) && start < at);
  return new Map(
    [...Map.groupBy(before, ([start]) => dayName(start))].map(([day, ofDay]) => [
      day,
      ofDay.map(([, counts]) => counts),
    ]),
  );
};

/**
 * The baseline at a time: whole days, and the judged hours of the time's own day. A day without events has no counts, but
 * its hours count from the first counted day on.
 * @param at the start of an hour, epoch ms.
 */
export const moneyBaseline = (history: MoneyHistory, measure: Measure, at: number): MoneyBaseline => {
  const [first] = history.days;
  const since = first === undefined ? at : Math.max(timeOfName(first.day), baselineStart(at));
  const hoursByDay = hoursBefore(history, at);
  const sumOf = (counts: readonly HourCounts[] = []) => counts.reduce((sum, one) => sum + one[measure], 0);
  const before = history.days.filter(({ day }) => day < dayName(at) && timeOfName(day) >= since);
  const ofDays = before.map((day) => (measure === "small" ? sumOf(hoursByDay.get(day.day)) : day[measure]));
  return {
    calls: ofDays.reduce((sum, one) => sum + one, sumOf(hoursByDay.get(dayName(at)))),
    hours: Math.max(0, (at - since) / HOUR_MS),
    dailyPeaks: [...hoursByDay.values()].map((counts) => Math.max(...counts.map((one) => one[measure]))),
  };
};

/** The prior of a measure, which counts only for a short baseline. */
export const moneyPrior = (baseline: MoneyBaseline, measure: Measure): { calls: number; hours: number } =>
  baseline.hours * HOUR_MS < PRIOR_BELOW_MS
    ? { calls: PRIOR_CALLS[measure] ?? 0, hours: PRIOR_HOURS }
    : { calls: 0, hours: 0 };

/** The expected number of an hour, without regard to busy hours. */
export const expectedHourly = (history: MoneyHistory, measure: Measure, at: number): number => {
  const baseline = moneyBaseline(history, measure, at);
  const prior = moneyPrior(baseline, measure);
  return (baseline.calls + prior.calls) / (baseline.hours + prior.hours);
};
