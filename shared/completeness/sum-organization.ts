/**
 * A night of an organization: sums the days that are over, tells of unequal ones, and verifies the stored events of one more
 * day. Repeated, it makes the same sums; once it is done, the organization's progress says so.
 */
import { type ArchiveSpan, firstArchivedHour, firstHourInTables } from "../archive/archive-hour.ts";
import type { Clock } from "../runtime/clock.ts";
import type { RollupStore } from "../security/statistics/rollup-store.ts";
import { DAY_MS, HOUR_MS, startOfDay } from "../terms/hours.ts";
import { organizationIdOf } from "../terms/keys.ts";
import type { CoverageStore, Progress } from "./coverage-store.ts";
import { type DaySums, daysToSum, isWhole, sumDay, withEarlierJudging } from "./day-sums.ts";
import type { FindFeedStart } from "./find-feed-start.ts";
import type { IncompleteDays } from "./incomplete-days.ts";
import type { IsSettled } from "./is-settled.ts";
import { eventsIn, type ReadDay } from "./read-day.ts";

export type SumOrganizationDependencies = {
  sums: Pick<CoverageStore, "listDays" | "putDay" | "readProgress" | "putProgress">;
  rollups: Pick<RollupStore, "list">;
  readDay: ReadDay;
  isSettled: IsSettled;
  alerts: IncompleteDays;
  findFeedStart: FindFeedStart;
  /** Whether the stored events of a day are those that were sealed. */
  verifyDay(organizationId: string, day: number): Promise<void>;
  /** Undefined without an archive. */
  archiveMonths: number | undefined;
  retentionMs: ArchiveSpan["retentionMs"];
  now: Clock;
};

/** `waiting`: days that have work under way; a later run sums them. */
export type OrganizationNight = { days: number; unequal: number; waiting: number };

const NOTHING: OrganizationNight = { days: 0, unequal: 0, waiting: 0 };

const daysBetween = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, (last - first) / DAY_MS + 1) }, (_, index) => first + index * DAY_MS);

export type SumOrganization = ReturnType<typeof createSumOrganization>;

/** The returned function throws DomainError `store_unavailable`; the days before that are stored. */
export const createSumOrganization = (dependencies: SumOrganizationDependencies) => {
  const { sums, rollups, readDay, isSettled, alerts, findFeedStart, verifyDay } = dependencies;
  const { archiveMonths, retentionMs, now } = dependencies;

  /** The first day of which tables and archive still have every hour when its reading ends. */
  const firstReadableDay = (): number => {
    const at = now() + HOUR_MS;
    const archived = archiveMonths === undefined ? 0 : firstArchivedHour(at, archiveMonths);
    return startOfDay(Math.max(firstHourInTables(at, { retentionMs }), archived) - HOUR_MS) + DAY_MS;
  };

  /** @returns the sums; undefined if the day has work under way. */
  const sumOne = async (day: Parameters<ReadDay>[0]): Promise<DaySums | undefined> => {
    const found = sumDay(await readDay(day));
    return isWhole(found) || (await isSettled(day.scope, day.day)) ? found : undefined;
  };

  /** One more day, another one each night. The integrity of a day whose events nobody holds any more is not known. */
  const verifyOne = async (scope: string, { from, night }: Progress): Promise<void> => {
    const days = daysBetween(from, night);
    const day = days[(night / DAY_MS) % days.length];
    if (day !== undefined) await verifyDay(organizationIdOf(scope), day);
  };

  /** @param night the last day that is over, epoch ms. @param logStart the log's first hour. */
  return async (
    scope: string,
    { night, logStart }: { night: number; logStart: number },
  ): Promise<OrganizationNight> => {
    const before = await sums.readProgress(scope);
    if (before !== undefined && before.night >= night) return NOTHING;
    const firstReadable = firstReadableDay();
    const from = before?.from ?? Math.max(startOfDay(logStart), firstReadable);
    if (from > night) return NOTHING;
    const fedSince = await findFeedStart(scope, night, before?.fedSince);
    const days = daysBetween(Math.max(from, firstReadable), night);
    const span = { first: days[0] ?? night, last: night };
    const [stored, counted] = await Promise.all([sums.listDays(scope, span), rollups.list(scope, "day", span)]);
    const countedOn = new Map(counted.map((rollup) => [rollup.period.start, eventsIn(rollup)]));
    // The statistics of the day in which the log begins count hours that the log does not have.
    const comparable = days.filter((day) => day >= logStart).map((day) => [day, countedOn.get(day) ?? 0] as const);
    const result = { ...NOTHING };
    for (const day of daysToSum(days, stored, new Map(comparable))) {
      const found = await sumOne({ scope, day, logStart, feedSince: fedSince, now: now() });
      if (found === undefined) {
        result.waiting++;
        continue;
      }
      const earlier = stored.get(day);
      await alerts.follow(organizationIdOf(scope), day, { found, earlier, night });
      await sums.putDay(scope, day, withEarlierJudging(found, earlier));
      result.days++;
      if (!isWhole(found)) result.unequal++;
    }
    if (result.waiting > 0) return result;
    const progress = { from, night, ...(fedSince !== undefined && { fedSince }) };
    await verifyOne(scope, progress);
    await sums.putProgress(scope, progress);
    return result;
  };
};
