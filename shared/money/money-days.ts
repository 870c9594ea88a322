/** The rows of GET …/money: each day beside what the 28 days before it make expected. Pure. */
import { DAY_MS, dayName, startOfDay } from "../terms/hours.ts";
import { expectedHourly } from "./money-baseline.ts";
import type { DayCounts } from "./money-counts.ts";
import type { MoneyDay } from "./money-day.ts";

const ROUNDED = 1_000;

/** The number of a whole day; null before a day of baseline. @param at a time of the day, epoch ms. */
const expectedOn = (at: number, days: readonly DayCounts[], measure: "failed" | "refunds"): number | null => {
  const [first] = days;
  if (first === undefined || first.day >= dayName(at)) return null;
  const hourly = expectedHourly({ days, hours: new Map() }, measure, startOfDay(at));
  return Math.round(hourly * 24 * ROUNDED) / ROUNDED;
};

/**
 * One row for each UTC day, the newest first.
 * @param stored the counted days, oldest first.
 * @param now epoch ms.
 */
export const moneyRows = (stored: readonly DayCounts[], days: number, now: number): MoneyDay[] => {
  const byDay = new Map(stored.map((one) => [one.day, one]));
  return Array.from({ length: days }, (_, back) => {
    const at = now - back * DAY_MS;
    const day = dayName(at);
    const counts = byDay.get(day);
    return {
      day,
      payments: { succeeded: counts?.succeeded ?? 0, failed: counts?.failed ?? 0 },
      refunds: { count: counts?.refunds ?? 0, amounts: { ...counts?.amounts } },
      disputes: counts?.disputes ?? 0,
      warnings: counts?.warnings ?? 0,
      payouts: counts?.payouts ?? 0,
      expected: { failed: expectedOn(at, stored, "failed"), refunds: expectedOn(at, stored, "refunds") },
    };
  });
};
