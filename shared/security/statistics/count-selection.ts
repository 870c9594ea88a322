/**
 * Exact counters of a selection, from rollups wherever possible. docs/security-events.md, "Statistics". The plan says what
 * to read: days, the hours of days that rollups cannot answer as a whole, and the events of such hours.
 */
import { DomainError } from "../../runtime/domain-error.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { DAY_MS, END_OF_TIME_MS, HOUR_MS, startOfDay, startOfHour } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import type { Selection } from "../event-item.ts";
import { type Counters, createTally, selectCounters } from "./counters.ts";
import type { EventCountStore, SelectionCountStore } from "./event-count-store.ts";
import type { OpenHourStore } from "./open-hour-store.ts";
import { isExact, isExpired, type RollupStore, type Span, type StoredRollup } from "./rollup-store.ts";

/** Rollups do not count by user or by `processed`; such selections are counted event by event, up to this many. */
const MAX_EVENTS_READ = 10_000;

const QUERIES_AT_ONCE = 6;

/** From a time (inclusive) to another (exclusive), epoch ms. */
type Range = { from: number; to: number };

export type StatisticsPlan = {
  /** All days whose rollups count, except those in `days`. */
  wholeDays: Span | undefined;
  /** Days that are read by their hours: the day that `since` cuts, and days with an open hour. */
  days: ReadonlySet<number>;
  /** The hours of those days from `since` on. */
  hours: Span[];
  /** The hour that `since` cuts, and open hours: their events are read. */
  events: Range[];
};

/** Joins adjacent periods, so that one query reads them. @param starts in ascending order, without repetition. */
export const joinRanges = (starts: readonly number[], length: number): Range[] => {
  const ranges: Range[] = [];
  for (const start of starts) {
    const last = ranges.at(-1);
    if (last?.to === start) last.to = start + length;
    else ranges.push({ from: start, to: start + length });
  }
  return ranges;
};

const inOrder = (times: Iterable<number>): number[] => [...new Set(times)].sort((a, b) => a - b);

/** The hours of days, in as few spans as possible. */
export const hoursOfDays = (days: Iterable<number>): Span[] =>
  joinRanges(inOrder(days), DAY_MS).map(({ from, to }) => ({ first: from, last: to - HOUR_MS }));

const ceil = (time: number, length: number) => Math.ceil(time / length) * length;

/**
 * @param since epoch ms, before the end of time.
 * @param openHours the starts of the open hours, in order. Hours that end before `since` are ignored.
 */
export const planStatistics = (since: number, openHours: readonly number[]): StatisticsPlan => {
  const firstHour = ceil(since, HOUR_MS);
  const firstDay = ceil(firstHour, DAY_MS);
  const open = openHours.filter((hour) => hour + HOUR_MS > since);
  const days = new Set(open.filter((hour) => hour >= firstHour).map(startOfDay));
  if (firstHour < firstDay) days.add(startOfDay(firstHour));
  const counted = inOrder([...(firstHour > since ? [startOfHour(since)] : []), ...open]);
  return {
    wholeDays: firstDay < END_OF_TIME_MS ? { first: firstDay, last: END_OF_TIME_MS - DAY_MS } : undefined,
    days,
    hours: hoursOfDays(days)
      .map(({ first, last }) => ({ first: Math.max(first, firstHour), last }))
      .filter(({ first, last }) => first <= last),
    events: joinRanges(counted, HOUR_MS).map(({ from, to }) => ({ from: Math.max(from, since), to })),
  };
};

/** The stores that statistics without users are counted from. */
export type RollupDependencies = {
  openHours: Pick<OpenHourStore, "list">;
  rollups: Pick<RollupStore, "list">;
  events: Pick<EventCountStore, "countRange">;
};

/**
 * The counters of all events in a partition since a time. The open hours are read first and strongly consistent: the
 * rollup of any other hour counts all its events, whatever closers do meanwhile.
 */
const countAll = async (
  { openHours, rollups, events }: RollupDependencies,
  scope: string,
  since: number,
  now: number,
): Promise<Counters> => {
  const open = await openHours.list(scope, startOfHour(since));
  const plan = planStatistics(since, open);
  const tally = createTally();
  const inexactDays = new Set<number>();
  const inexactHours = new Set<number>();

  const add = (rollup: StoredRollup, inexact: Set<number>) => {
    if (isExpired(rollup, now)) return;
    if (isExact(rollup, now)) tally.addAll(rollup.counters);
    else inexact.add(rollup.period.start);
  };
  const addDays = (span: Span) => async () => {
    for (const day of await rollups.list(scope, "day", span)) {
      if (!plan.days.has(day.period.start)) add(day, inexactDays);
    }
  };
  const addHours = (span: Span) => async () => {
    for (const hour of await rollups.list(scope, "hour", span)) {
      if (!open.includes(hour.period.start)) add(hour, inexactHours);
    }
  };
  const addEvents = (range: Range) => async () => {
    tally.addAll((await events.countRange(scope, range, { now }))?.counters ?? []);
  };
  const runAll = (queries: readonly (() => Promise<void>)[]) =>
    inParallel(queries, QUERIES_AT_ONCE, async (query) => query());

  await runAll([
    ...plan.events.map(addEvents),
    ...(plan.wholeDays === undefined ? [] : [addDays(plan.wholeDays)]),
    ...plan.hours.map(addHours),
  ]);
  // Only if part of a day or of an hour has expired: where retention ends, or after a change of RETENTION_DAYS.
  await runAll(hoursOfDays(inexactDays).map(addHours));
  await runAll(joinRanges(inOrder(inexactHours), HOUR_MS).map(addEvents));
  return tally.counters();
};

type CountSelectionDependencies = RollupDependencies & { selections: Pick<SelectionCountStore, "count"> };

/**
 * Counts a selection: at most 12 read units for the closed hours of 90 days, and the events of hours that are open or
 * that `since` cuts. With `userId` or `processed`, the events themselves.
 * @param now epoch ms; events that have expired by then do not count.
 * @throws DomainError `store_unavailable`, or `invalid_field` if more than 10,000 events would have to be read one by one.
 */
export const countSelection = async (
  stores: CountSelectionDependencies,
  selection: Selection,
  now: number,
): Promise<Counters> => {
  const { organizationId, since, userId, processed } = selection;
  if (since >= END_OF_TIME_MS) return [];
  if (userId === undefined && processed === undefined) {
    return selectCounters(await countAll(stores, organizationKey(organizationId), since, now), selection);
  }
  const max = MAX_EVENTS_READ;
  const counters = await stores.selections.count(selection, { max, now });
  if (counters === undefined) {
    throw new DomainError(
      "invalid_field",
      `since: expected a later time: with userId or processed, at most ${max} events are counted one by one`,
    );
  }
  return counters;
};
