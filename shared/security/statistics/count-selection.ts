/** What must be read to count the events from a time on: days, hours where days do not fit, events where hours do not. */
/** The statistics of a selection, exact, from rollups wherever they can say it. docs/security-events.md, "Statistics". */

import { DomainError } from "../../runtime/domain-error.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { DAY_MS, END_OF_TIME_MS, HOUR_MS, startOfDay, startOfHour } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import { planRead, type Selection } from "../event-item.ts";
import { type Counters, createTally, selectCounters } from "./counters.ts";
import type { EventCountStore, SelectionCountStore } from "./event-count-store.ts";
import type { OpenHourStore } from "./open-hour-store.ts";
import { isExact, isExpired, type RollupStore, type Span, type StoredRollup } from "./rollup-store.ts";

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

/** Rollups know neither users nor what was processed: then events are read one by one, but no more than these. */
const MAX_EVENTS_READ = 10_000;

const QUERIES_AT_ONCE = 6;

export type CountSelectionParts = {
  openHours: Pick<OpenHourStore, "list">;
  rollups: Pick<RollupStore, "list">;
  events: Pick<EventCountStore, "countRange">;
  selections: Pick<SelectionCountStore, "count">;
};

const runAll = (queries: readonly (() => Promise<void>)[]) =>
  inParallel(queries, QUERIES_AT_ONCE, async (query) => query());

/**
 * The counters of everything in a partition from a time on. The open hours are known first, and read strongly: an
 * hour that was not open then is whole in its rollup, however closers go on meanwhile.
 */
const countAll = async (
  { openHours, rollups, events }: Omit<CountSelectionParts, "selections">,
  scope: string,
  since: number,
  now: number,
): Promise<Counters> => {
  const open = await openHours.list(scope, startOfHour(since));
  const plan = planStatistics(since, open);
  const tally = createTally();
  const inexactDays = new Set<number>();
  const inexactHours = new Set<number>();

  const take = (rollup: StoredRollup, inexact: Set<number>) => {
    if (isExpired(rollup, now)) return;
    if (isExact(rollup, now)) tally.addAll(rollup.counters);
    else inexact.add(rollup.period.start);
  };
  const takeDays = (span: { first: number; last: number }) => async () => {
    for (const day of await rollups.list(scope, "day", span)) {
      if (!plan.days.has(day.period.start)) take(day, inexactDays);
    }
  };
  const takeHours = (span: { first: number; last: number }) => async () => {
    for (const hour of await rollups.list(scope, "hour", span)) {
      if (!open.includes(hour.period.start)) take(hour, inexactHours);
    }
  };
  const takeEvents = (range: { from: number; to: number }) => async () => {
    tally.addAll((await events.countRange(scope, range, { now }))?.counters ?? []);
  };

  await runAll([
    ...plan.events.map(takeEvents),
    ...(plan.wholeDays === undefined ? [] : [takeDays(plan.wholeDays)]),
    ...plan.hours.map(takeHours),
  ]);
  // Only where retention ends, or once changed: part of a day has expired, or part of an hour.
  await runAll(hoursOfDays(inexactDays).map(takeHours));
  await runAll(
    joinRanges(
      [...inexactHours].sort((a, b) => a - b),
      HOUR_MS,
    ).map(takeEvents),
  );
  return tally.counters();
};

/**
 * Counts a selection: at most 12 read units for the closed hours of 90 days whatever they hold, and the events of the
 * hours that are open or that `since` cuts. With `userId` or `processed`, the events themselves.
 * @param now epoch ms; what has expired by then does not count.
 * @throws DomainError `invalid_field` where more than 10,000 events would have to be read one by one.
 */
export const countSelection = async (
  parts: CountSelectionParts,
  selection: Selection,
  now: number,
): Promise<Counters> => {
  const { organizationId, since, userId, processed } = selection;
  if (since >= END_OF_TIME_MS) return [];
  if (userId === undefined && processed === undefined) {
    const counters = await countAll(parts, organizationKey(organizationId), since, now);
    return selectCounters(counters, selection);
  }
  const max = MAX_EVENTS_READ;
  const counters = await parts.selections.count(planRead(selection), selection, { max, now });
  if (counters === undefined) {
    throw new DomainError(
      "invalid_field",
      `since: expected a later time: with userId or processed, at most ${max} events are counted one by one`,
    );
  }
  return counters;
};
