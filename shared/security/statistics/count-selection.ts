/**
 * Exact counters of a selection, from rollups wherever possible. docs/security-events.md, "Statistics". The plan says what
 * to read: days, the hours of days that rollups cannot answer as a whole, and the events of such hours.
 */
import { DomainError } from "../../runtime/domain-error.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { DAY_MS, END_OF_TIME_MS, HOUR_MS, startOfDay, startOfHour } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import type { FilterName, Selection } from "../event-item.ts";
import { type CountedIntervals, createIntervalTally, selectCounters } from "./counters.ts";
import type { EventCountStore, SelectionCountStore } from "./event-count-store.ts";
import type { OpenHourStore } from "./open-hour-store.ts";
import { isExact, isExpired, type RollupStore, type Span, type StoredRollup } from "./rollup-store.ts";

/** Filters that rollups do not count by: the events of such a selection are counted one by one. */
const UNCOUNTED_FILTERS = ["userId", "processed", "success", "source", "ipAddress"] as const satisfies FilterName[];
/** The most events to count one by one. */
const MAX_EVENTS_READ = 10_000;

const QUERIES_AT_ONCE = 6;

/** From a time (inclusive) to another (exclusive), epoch ms. */
type Range = { from: number; to: number };

export type StatisticsPlan = {
  /** The days whose rollups count, except those in `days`. */
  wholeDays: Span | undefined;
  /** Days that are read by their hours: the days that `since` and `until` cut, and days with an open hour. */
  days: ReadonlySet<number>;
  /** The whole hours of those days in the period. */
  hours: Span[];
  /** The hours that `since` and `until` cut, and open hours: their events are read. */
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

const floor = (time: number, length: number) => Math.floor(time / length) * length;
const ceil = (time: number, length: number) => Math.ceil(time / length) * length;

/** The parts of a range, none of which is in two intervals. @param length of an interval; undefined: one part. */
const splitRange = (range: Range, length: number | undefined): Range[] => {
  if (length === undefined) return [range];
  const parts: Range[] = [];
  for (let { from } = range; from < range.to; ) {
    const to = Math.min(floor(from, length) + length, range.to);
    parts.push({ from, to });
    from = to;
  }
  return parts;
};

/**
 * @param openHours the starts of the open hours, in order. Hours outside the period are ignored.
 * @param intervalMs if it is shorter than a day, every day is read by its hours.
 */
export const planStatistics = (
  { from, to }: Range,
  openHours: readonly number[],
  intervalMs: number = DAY_MS,
): StatisticsPlan => {
  const whole = { from: ceil(from, HOUR_MS), to: floor(to, HOUR_MS) };
  const wholeDays = { from: ceil(whole.from, DAY_MS), to: floor(whole.to, DAY_MS) };
  const open = openHours.filter((hour) => hour + HOUR_MS > from && hour < to);
  const days = new Set(open.map(startOfDay));
  if (whole.from < wholeDays.from) days.add(startOfDay(whole.from));
  if (whole.to > wholeDays.to) days.add(startOfDay(whole.to));
  const byHour = intervalMs < DAY_MS;
  const cut = [...(whole.from > from ? [startOfHour(from)] : []), ...(whole.to < to ? [whole.to] : [])];
  return {
    wholeDays:
      !byHour && wholeDays.from < wholeDays.to ? { first: wholeDays.from, last: wholeDays.to - DAY_MS } : undefined,
    days,
    hours: (byHour ? [{ first: whole.from, last: whole.to }] : hoursOfDays(days))
      .map(({ first, last }) => ({ first: Math.max(first, whole.from), last: Math.min(last, whole.to - HOUR_MS) }))
      .filter(({ first, last }) => first <= last),
    events: joinRanges(inOrder([...cut, ...open]), HOUR_MS).map((range) => ({
      from: Math.max(range.from, from),
      to: Math.min(range.to, to),
    })),
  };
};

/** The stores that statistics without users are counted from. */
export type RollupDependencies = {
  openHours: Pick<OpenHourStore, "list">;
  rollups: Pick<RollupStore, "list">;
  events: Pick<EventCountStore, "countRange">;
};

/**
 * The counters of all events of a partition in a period, by interval. The open hours are read first and strongly consistent: the
 * rollup of any other hour counts all its events, whatever closers do concurrently.
 */
const countAll = async (
  { openHours, rollups, events }: RollupDependencies,
  scope: string,
  period: Range,
  now: number,
  intervalMs: number | undefined,
): Promise<CountedIntervals> => {
  const open = await openHours.list(scope, startOfHour(period.from));
  const plan = planStatistics(period, open, intervalMs);
  const tally = createIntervalTally(intervalMs);
  const inexactDays = new Set<number>();
  const inexactHours = new Set<number>();

  const add = (rollup: StoredRollup, inexact: Set<number>) => {
    if (isExpired(rollup, now)) return;
    if (isExact(rollup, now)) tally.at(rollup.period.start).addAll(rollup.counters);
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
  const addEvents = (ranges: readonly Range[]) =>
    ranges
      .flatMap((range) => splitRange(range, intervalMs))
      .map((range) => async () => {
        const counted = await events.countRange(scope, range, { now });
        if (counted !== undefined) tally.at(range.from).addAll(counted.counters);
      });
  const runAll = (queries: readonly (() => Promise<void>)[]) =>
    inParallel(queries, QUERIES_AT_ONCE, async (query) => query());

  await runAll([
    ...addEvents(plan.events),
    ...(plan.wholeDays === undefined ? [] : [addDays(plan.wholeDays)]),
    ...plan.hours.map(addHours),
  ]);
  // Only if part of a day or of an hour has expired: where retention ends, or after a change of RETENTION_DAYS.
  await runAll(hoursOfDays(inexactDays).map(addHours));
  await runAll(addEvents(joinRanges(inOrder(inexactHours), HOUR_MS)));
  return tally.intervals();
};

/**
 * The returned function counts all events of an organization in a period (epoch ms, `until` exclusive), as `countSelection`
 * without filters does. It throws DomainError `store_unavailable`.
 */
export const createCountEvents =
  (stores: RollupDependencies) =>
  async (organizationId: string, { since, until }: { since: number; until: number }, now: number): Promise<number> => {
    const period = { from: since, to: until };
    const intervals = await countAll(stores, organizationKey(organizationId), period, now, undefined);
    return [...intervals.values()].flat().reduce((sum, { events }) => sum + events, 0);
  };

type CountSelectionDependencies = RollupDependencies & { selections: Pick<SelectionCountStore, "count"> };

/**
 * Counts a selection, by hour or day if `intervalMs` is given: at most 12 read units for the closed hours of 90 days, and the events of hours that are open or
 * that the period cuts; by hour, half a read unit for 4 KB of rollups. With a filter that rollups do not count by, the events themselves.
 * @param now epoch ms; events that have expired by then do not count.
 * @throws DomainError `store_unavailable`, or `invalid_field` if more than 10,000 events would have to be read one by one.
 */
export const countSelection = async (
  stores: CountSelectionDependencies,
  selection: Selection,
  now: number,
  intervalMs?: number | undefined,
): Promise<CountedIntervals> => {
  const { organizationId, since, until = END_OF_TIME_MS } = selection;
  const period = { from: since, to: Math.min(until, END_OF_TIME_MS) };
  if (period.from >= period.to) return new Map();
  const given = UNCOUNTED_FILTERS.filter((name) => selection[name] !== undefined);
  if (given.length === 0) {
    const intervals = await countAll(stores, organizationKey(organizationId), period, now, intervalMs);
    return new Map([...intervals].map(([start, counters]) => [start, selectCounters(counters, selection)]));
  }
  const max = MAX_EVENTS_READ;
  const intervals = await stores.selections.count(selection, { max, now, intervalMs });
  if (intervals === undefined) {
    throw new DomainError(
      "invalid_field",
      `since: expected a later time, or until an earlier one: with ${given.join(", ")}, at most ${max} events are ` +
        "counted one by one. Or add userId, riskLevel HIGH or CRITICAL, or an eventType",
    );
  }
  return intervals;
};
