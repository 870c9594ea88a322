/** The periods of the overview, and how a period compares with the one before. Pure. */
import type { SecurityStatistics } from "../../api/types.ts";
import { formatDuration, formatNumber, formatShare } from "../../words/format.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** By their name in the address. */
export const periods = {
  "24h": { label: "24 hours", ms: DAY, interval: "hour" },
  "7d": { label: "7 days", ms: 7 * DAY, interval: "day" },
  "90d": { label: "90 days", ms: 90 * DAY, interval: "day" },
} as const;
export type Period = keyof typeof periods;
export const DEFAULT_PERIOD: Period = "24h";

export const periodOf = (text: string | undefined): Period =>
  text !== undefined && Object.hasOwn(periods, text) ? (text as Period) : DEFAULT_PERIOD;

/** Whether events of all of the period before are kept. */
export const hasEarlierData = (period: Period, retentionDays: number): boolean =>
  2 * periods[period].ms <= retentionDays * DAY;

/** Whether events of all of the period are kept. */
export const isKept = (period: Period, retentionDays: number): boolean => periods[period].ms <= retentionDays * DAY;

/** How to show a value of the statistics and the size of a change of it, without a sign. */
type Measure = { format: (value: number) => string };

/**
 * A value compared with the period before, in words and with a sign.
 * @param before the value of the period before; undefined if it is not known
 */
export const compared = (value: number, before: number | undefined, { format }: Measure): string | undefined => {
  if (before === undefined) return undefined;
  const difference = value - before;
  const size = format(Math.abs(difference));
  if (size === format(0)) return `About the same as in the period before (${format(before)})`;
  return difference > 0
    ? `+${size}, more than in the period before (${format(before)})`
    : `−${size}, less than in the period before (${format(before)})`;
};

/** The difference of two shares is in percentage points. */
export const comparedShare = (value: number, before: number | undefined): string | undefined => {
  if (before === undefined) return undefined;
  const points = Math.round((value - before) * 1_000) / 10;
  const was = `${formatNumber(Math.round(before * 1_000) / 10)}%`;
  if (points === 0) return `About the same as in the period before (${was})`;
  return points > 0
    ? `+${formatNumber(points)} points, more than in the period before (${was})`
    : `−${formatNumber(-points)} points, less than in the period before (${was})`;
};

type Statistics = Pick<SecurityStatistics, "totalEvents" | "failureRate" | "highRiskEvents" | "avgResponseTime">;

/**
 * The numbers of a period, each compared with the period before.
 * @param before undefined if it is not known yet
 * @param isBeforeKept whether its events are kept
 */
export const numbersOf = (stats: Statistics, before: Statistics | undefined, isBeforeKept: boolean) => {
  const number = (name: string, value: string, comparison: string | undefined) => {
    if (!isBeforeKept) return { name, value, change: "No earlier data" };
    return { name, value, change: before?.totalEvents === 0 ? "No events in the period before" : comparison };
  };
  const { totalEvents, failureRate, highRiskEvents, avgResponseTime } = stats;
  const count = { format: formatNumber };
  return [
    number("Events", formatNumber(totalEvents), compared(totalEvents, before?.totalEvents, count)),
    number("Failed", formatShare(failureRate), comparedShare(failureRate, before?.failureRate)),
    number("Of high risk", formatNumber(highRiskEvents), compared(highRiskEvents, before?.highRiskEvents, count)),
    number(
      "Mean response",
      avgResponseTime === 0 ? "–" : formatDuration(avgResponseTime),
      before?.avgResponseTime === 0
        ? "No times in the period before"
        : compared(avgResponseTime, before?.avgResponseTime, { format: formatDuration }),
    ),
  ];
};
