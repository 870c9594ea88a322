/**
 * What an organization, or a user of it, usually does in an hour: counts per day, of the 28 days before the hour and of
 * the hours of its own day before it. Days without any are not kept, but count.
 */
import * as z from "zod/mini";
import { DAY_MS, dayName, HOUR_MS, startOfDay, timeOfName } from "../../terms/hours.ts";
import type { Baseline } from "./rule.ts";

export const BASELINE_DAYS = 28;

/** How much a day had, and how much its busiest hour. */
export const CountedDay = z.object({ day: z.string(), calls: z.number(), peak: z.number() });
export type CountedDay = z.output<typeof CountedDay>;

/** Counts since an hour, epoch ms, the first one that was counted; oldest day first. */
export const History = z.object({ since: z.number(), days: z.array(CountedDay) });
export type History = z.output<typeof History>;

const oldestDay = (hourStart: number): number => startOfDay(hourStart) - BASELINE_DAYS * DAY_MS;

/**
 * The history with one more hour. Hours are added in order, each once; those without any need not be.
 * @param hourStart epoch ms.
 */
export const addHour = (history: History | undefined, hourStart: number, calls: number): History => {
  const { since, days } = history ?? { since: hourStart, days: [] };
  const kept = days.filter(({ day }) => timeOfName(day) >= oldestDay(hourStart));
  if (calls === 0) return { since, days: kept };
  const day = dayName(hourStart);
  const known = kept.find((one) => one.day === day) ?? { calls: 0, peak: 0 };
  const counted = { day, calls: known.calls + calls, peak: Math.max(known.peak, calls) };
  return { since, days: [...kept.filter((one) => one.day !== day), counted] };
};

/** What came before an hour. @param hourStart epoch ms. */
export const baselineOf = (history: History | undefined, hourStart: number): Baseline => {
  if (history === undefined) return { calls: 0, hours: 0, dailyPeaks: [] };
  const oldest = oldestDay(hourStart);
  const days = history.days.filter(({ day }) => timeOfName(day) >= oldest);
  return {
    calls: days.reduce((sum, { calls }) => sum + calls, 0),
    hours: Math.max(0, (hourStart - Math.max(history.since, oldest)) / HOUR_MS),
    dailyPeaks: days.map(({ peak }) => peak),
  };
};
