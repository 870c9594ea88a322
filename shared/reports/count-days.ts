/** The statistics of some days, each by itself, from rollups wherever they can say it. docs/security-events.md, "Statistics". */
import { inParallel } from "../runtime/in-parallel.ts";
import { type CountSelectionParts, hoursOfDays, joinRanges } from "../security/statistics/count-selection.ts";
import { type Counters, mergeCounters } from "../security/statistics/counters.ts";
import { isExact, isExpired } from "../security/statistics/rollup-store.ts";
import { DAY_MS, HOUR_MS, startOfDay } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";

export type CountDaysParts = Omit<CountSelectionParts, "selections">;

const QUERIES_AT_ONCE = 6;

/**
 * Counts the events of an organization that have not expired, by day: about a read unit for 35 days whose hours are closed. The
 * days of hours that are not, and days that have expired in part, are counted by their hours, and those hours by their events.
 * @param span from one midnight to another, epoch ms.
 * @param now epoch ms.
 * @returns by the beginning of each day that has any.
 * @throws DomainError `store_unavailable`.
 */
export const countDays = async (
  { openHours, rollups, events }: CountDaysParts,
  organizationId: string,
  { from, to }: { from: number; to: number },
  now: number,
): Promise<Map<number, Counters>> => {
  const scope = organizationKey(organizationId);
  // Open hours first: an hour that was not open then is whole in its rollup, however closers go on meanwhile.
  const openBefore = (await openHours.list(scope, from)).filter((hour) => hour < to);
  const open = new Set(openBefore);
  const parts = new Map<number, Counters[]>();
  const add = (time: number, counters: Counters) => {
    const day = startOfDay(time);
    parts.set(day, [...(parts.get(day) ?? []), counters]);
  };

  const byHours = new Set(openBefore.map(startOfDay));
  for (const rollup of await rollups.list(scope, "day", { first: from, last: to - DAY_MS })) {
    const { start } = rollup.period;
    if (byHours.has(start) || isExpired(rollup, now)) continue;
    if (isExact(rollup, now)) add(start, rollup.counters);
    else byHours.add(start);
  }
  const byEvents = new Set(openBefore);
  await inParallel(hoursOfDays(byHours), QUERIES_AT_ONCE, async (span) => {
    for (const rollup of await rollups.list(scope, "hour", span)) {
      const { start } = rollup.period;
      if (open.has(start) || isExpired(rollup, now)) continue;
      if (isExact(rollup, now)) add(start, rollup.counters);
      else byEvents.add(start);
    }
  });
  const hoursByDay = Map.groupBy(
    [...byEvents].sort((a, b) => a - b),
    startOfDay,
  );
  const ranges = [...hoursByDay.values()].flatMap((hours) => joinRanges(hours, HOUR_MS));
  await inParallel(ranges, QUERIES_AT_ONCE, async (range) => {
    add(range.from, (await events.countRange(scope, range, { now }))?.counters ?? []);
  });
  return new Map([...parts].map(([day, counters]) => [day, mergeCounters(counters)]));
};
