/** The statistics that the API counts for each hour or day, as columns of a chart. Pure. */
import type { SecurityStatistics } from "../api/types.ts";
import { formatMinute, formatUtcDay } from "./format.ts";

export type Interval = "hour" | "day";

/** In the user's time zone for hours, in UTC for days. */
export const chartTitle = (interval: Interval): string =>
  interval === "hour" ? "Events by hour" : "Events by day (UTC)";

/** @param now epoch milliseconds */
export const columnsOf = (intervals: SecurityStatistics["intervals"], interval: Interval, now: number) => {
  const isHourly = interval === "hour";
  return (intervals ?? []).map(({ from, totalEvents, failures }, index, { length }) => {
    const start = isHourly ? formatMinute(from, now) : formatUtcDay(from);
    const ends = index === 0 || index === length - 1;
    return {
      name: `${isHourly ? `From ${start}` : `${start} (UTC)`}${ends ? ", in part" : ""}`,
      label: isHourly ? formatMinute(from, from) : start,
      total: totalEvents,
      bad: failures,
    };
  });
};
