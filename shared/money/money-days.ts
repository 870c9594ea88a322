/** The rows of GET …/money: each day beside what the 28 days before it make expected. Pure. */
import { DAY_MS, dayName, timeOfName } from "../terms/hours.ts";
import type { MoneyDay } from "./money.ts";

/** The days before a day that its baseline contains. */
export const BASELINE_DAYS = 28;

/** With fewer days of baseline, the prior counts too: this many in two hours. */
const PRIOR_BELOW_DAYS = 7;
const PRIOR_HOURS = 2;
const PRIOR = { failed: 4, refunds: 2 } as const;

/** The stored counts of a day. `amounts`: of refunds, by currency. */
export type DayCounts = {
  day: string;
  succeeded: number;
  failed: number;
  refunds: number;
  disputes: number;
  warnings: number;
  payouts: number;
  amounts: Readonly<Record<string, number>>;
};

const ROUNDED = 1_000;

const expectedOn = (day: string, days: readonly DayCounts[], what: keyof typeof PRIOR): number | null => {
  const start = timeOfName(day);
  const first = days[0];
  if (first === undefined || first.day >= day) return null;
  const from = Math.max(timeOfName(first.day), start - BASELINE_DAYS * DAY_MS);
  const before = days.filter((one) => one.day < day && timeOfName(one.day) >= from);
  const total = before.reduce((sum, one) => sum + one[what], 0);
  const length = (start - from) / DAY_MS;
  const hasPrior = length < PRIOR_BELOW_DAYS;
  const hourly = (total + (hasPrior ? PRIOR[what] : 0)) / (length * 24 + (hasPrior ? PRIOR_HOURS : 0));
  return Math.round(hourly * 24 * ROUNDED) / ROUNDED;
};

/**
 * One row for each UTC day, the newest first.
 * @param stored the counted days, back to the baseline of the oldest row; oldest first.
 * @param now epoch ms.
 */
export const moneyRows = (stored: readonly DayCounts[], days: number, now: number): MoneyDay[] => {
  const byDay = new Map(stored.map((one) => [one.day, one]));
  return Array.from({ length: days }, (_, back) => {
    const day = dayName(now - back * DAY_MS);
    const counts = byDay.get(day);
    return {
      day,
      payments: { succeeded: counts?.succeeded ?? 0, failed: counts?.failed ?? 0 },
      refunds: { count: counts?.refunds ?? 0, amounts: { ...counts?.amounts } },
      disputes: counts?.disputes ?? 0,
      warnings: counts?.warnings ?? 0,
      payouts: counts?.payouts ?? 0,
      expected: { failed: expectedOn(day, stored, "failed"), refunds: expectedOn(day, stored, "refunds") },
    };
  });
};
