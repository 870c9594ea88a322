/** What must be read to count the events from a time on: days, hours where days do not fit, events where hours do not. */
import { DAY_MS, END_OF_TIME_MS, HOUR_MS, startOfDay, startOfHour } from "../../terms/hours.ts";
import type { Span } from "./rollup-store.ts";

/** From one time (inclusive) to another (exclusive), epoch ms. */
export type Range = { from: number; to: number };

export type StatisticsPlan = {
  /** All days whose rollups count, but for those in `days`. */
  wholeDays: Span | undefined;
  /** Days that are read by their hours: the one that `since` cuts, and those with an open hour. */
  days: ReadonlySet<number>;
  /** The hours of those days from `since` on. */
  hours: Span[];
  /** The hour that `since` cuts, and open hours: their events are read. */
  events: Range[];
};

/** Ranges that touch become one, which is one query. @param starts in ascending order, without repetition. */
export const joinRanges = (starts: readonly number[], length: number): Range[] => {
  const ranges: Range[] = [];
  for (const start of starts) {
    const last = ranges.at(-1);
    if (last?.to === start) last.to = start + length;
    else ranges.push({ from: start, to: start + length });
  }
  return ranges;
};

/** The hours of days, as few spans. */
export const hoursOfDays = (days: Iterable<number>): Span[] =>
  joinRanges(
    [...days].sort((a, b) => a - b),
    DAY_MS,
  ).map(({ from, to }) => ({ first: from, last: to - HOUR_MS }));

const ceil = (time: number, length: number) => Math.ceil(time / length) * length;

/**
 * @param since epoch ms, before the end of time.
 * @param openHours the starts of the open hours, in order; those before `since` do not matter.
 */
export const planStatistics = (since: number, openHours: readonly number[]): StatisticsPlan => {
  const firstHour = ceil(since, HOUR_MS);
  const firstDay = ceil(firstHour, DAY_MS);
  const open = openHours.filter((hour) => hour + HOUR_MS > since);
  const days = new Set(open.filter((hour) => hour >= firstHour).map(startOfDay));
  if (firstHour < firstDay) days.add(startOfDay(firstHour));
  const counted = [...new Set([...(firstHour > since ? [startOfHour(since)] : []), ...open])].sort((a, b) => a - b);
  return {
    wholeDays: firstDay < END_OF_TIME_MS ? { first: firstDay, last: END_OF_TIME_MS - DAY_MS } : undefined,
    days,
    hours: hoursOfDays(days)
      .map(({ first, last }) => ({ first: Math.max(first, firstHour), last }))
      .filter(({ first, last }) => first <= last),
    events: joinRanges(counted, HOUR_MS).map(({ from, to }) => ({ from: Math.max(from, since), to })),
  };
};
