/** The statistics of a selection, exact, from rollups wherever they can say it. docs/security-events.md, "Statistics". */
import { DomainError } from "../../runtime/domain-error.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { END_OF_TIME_MS, HOUR_MS, startOfHour } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import { planRead } from "../event-indexes.ts";
import type { Selection } from "../selection.ts";
import { type Counters, createTally, selectCounters } from "./counters.ts";
import type { EventCountStore } from "./event-count-store.ts";
import type { OpenHourStore } from "./open-hour-store.ts";
import { isExact, isExpired } from "./rollup.ts";
import type { RollupStore, StoredRollup } from "./rollup-store.ts";
import type { SelectionCountStore } from "./selection-count-store.ts";
import { type SecurityStatistics, statisticsOf } from "./statistics.ts";
import { hoursOfDays, joinRanges, planStatistics } from "./statistics-plan.ts";

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
): Promise<SecurityStatistics> => {
  const { organizationId, since, userId, processed } = selection;
  if (since >= END_OF_TIME_MS) return statisticsOf([]);
  if (userId === undefined && processed === undefined) {
    const counters = await countAll(parts, organizationKey(organizationId), since, now);
    return statisticsOf(selectCounters(counters, selection));
  }
  const max = MAX_EVENTS_READ;
  const counters = await parts.selections.count(planRead(selection), selection, { max, now });
  if (counters === undefined) {
    throw new DomainError(
      "invalid_field",
      `since: expected a later time: with userId or processed, at most ${max} events are counted one by one`,
    );
  }
  return statisticsOf(counters);
};
