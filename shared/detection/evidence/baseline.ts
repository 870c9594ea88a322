/**
 * A baseline: how much a scope or a user did per hour, in the 28 days before an hour and in the earlier hours of its day.
 * Days without counts are not stored, but their hours count. Pure.
 */
import { DAY_MS, dayName, HOUR_MS, startOfDay, timeOfName } from "../../terms/hours.ts";

export const BASELINE_DAYS = 28;

/**
 * What came before an hour: the total, the hours that could have had some, and the count of the busiest hour of each day
 * that had some, in no order.
 */
export type Baseline = { calls: number; hours: number; dailyPeaks: readonly number[] };

export const noBaseline: Baseline = { calls: 0, hours: 0, dailyPeaks: [] };

/** `since`: the first counted hour, epoch ms. `days`: each day's count and that of its busiest hour, oldest day first. */
export type History = { since: number; days: readonly { day: string; calls: number; peak: number }[] };

const oldestDay = (hourStart: number): number => startOfDay(hourStart) - BASELINE_DAYS * DAY_MS;

/**
 * The history with one more hour. Hours must be added in order, each once; hours without a count may be left out.
 * @param hourStart epoch ms.
 */
export const addHour = (history: History | undefined, hourStart: number, calls: number): History => {
  const { since, days } = history ?? { since: hourStart, days: [] };
  const kept = days.filter(({ day }) => timeOfName(day) >= oldestDay(hourStart));
  if (calls === 0) return { since, days: kept };
  const day = dayName(hourStart);
  const before = kept.find((one) => one.day === day) ?? { calls: 0, peak: 0 };
  const counted = { day, calls: before.calls + calls, peak: Math.max(before.peak, calls) };
  return { since, days: [...kept.filter((one) => one.day !== day), counted] };
};

/** The baseline of an hour. @param hourStart epoch ms. */
export const baselineOf = (history: History | undefined, hourStart: number): Baseline => {
  if (history === undefined) return noBaseline;
  const oldest = oldestDay(hourStart);
  const days = history.days.filter(({ day }) => timeOfName(day) >= oldest);
  return {
    calls: days.reduce((sum, { calls }) => sum + calls, 0),
    hours: Math.max(0, (hourStart - Math.max(history.since, oldest)) / HOUR_MS),
    dailyPeaks: days.map(({ peak }) => peak),
  };
};
