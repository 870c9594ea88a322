/** Reads the numbers of a day from where they are kept. */
import type { ArchiveStore } from "../archive/archive-store.ts";
import type { FeedReader } from "../archive/feed-reader.ts";
import type { UnjudgedStore } from "../detection/unjudged-store.ts";
import type { WindowStore } from "../detection/window-store.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import type { EvidenceStore } from "../sealing/evidence-store.ts";
import type { HourCountStore } from "../security/statistics/hour-count-store.ts";
import { isExact, type RollupStore, type StoredRollup } from "../security/statistics/rollup-store.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import type { DayReading, HourNumbers } from "./day-sums.ts";

export type ReadDayDependencies = {
  events: HourCountStore;
  rollups: Pick<RollupStore, "list">;
  evidence: Pick<EvidenceStore, "listHours">;
  /** Undefined if the deployment has none. */
  archive?: Pick<ArchiveStore, "countEvents"> | undefined;
  feed?: FeedReader | undefined;
  windows: Pick<WindowStore, "judgedBy">;
  unjudged: Pick<UnjudgedStore, "listOf">;
};

/** `logStart`: the log's first hour; `feedSince`: the first hour with a feed, undefined while it is off; epoch ms. */
export type DayToRead = { scope: string; day: number; logStart: number; feedSince: number | undefined; now: number };

const OBJECTS_AT_ONCE = 8;

/** The events that a rollup counts. */
export const eventsIn = ({ counters }: Pick<StoredRollup, "counters">): number =>
  counters.reduce((sum, { events }) => sum + events, 0);

export type ReadDay = ReturnType<typeof createReadDay>;

/**
 * The returned function reads a day whose events are in the tables: half a read unit per 4 KB of events, a few more, and an object
 * of the archive and of the feed for each hour with events. It throws DomainError `store_unavailable`.
 */
export const createReadDay =
  ({ events, rollups, evidence, archive, feed, windows, unjudged }: ReadDayDependencies) =>
  async ({ scope, day, logStart, feedSince, now }: DayToRead): Promise<DayReading> => {
    const span = { from: day, to: day + DAY_MS };
    const [first, last] = [day, day + DAY_MS - HOUR_MS];
    const [recorded, counted, ofDay, sealedHours, judged, due] = await Promise.all([
      events.countHours(scope, span, now),
      rollups.list(scope, "hour", { first, last }),
      rollups.list(scope, "day", { first: day, last: day }),
      evidence.listHours(scope, first, last),
      windows.judgedBy(scope, span),
      unjudged.listOf(scope, span),
    ]);
    const countedIn = new Map(
      counted.filter((rollup) => isExact(rollup, now)).map((rollup) => [rollup.period.start, eventsIn(rollup)]),
    );
    const sealedIn = new Map(sealedHours.map(({ hour, count }) => [hour, count]));
    const ofLog = Array.from({ length: 24 }, (_, index) => day + index * HOUR_MS).filter((hour) => hour >= logStart);
    const hours = new Map<number, HourNumbers>();
    await inParallel(ofLog, OBJECTS_AT_ONCE, async (hour) => {
      const numbers = {
        recorded: recorded.get(hour) ?? 0,
        counted: countedIn.get(hour) ?? 0,
        sealed: sealedIn.get(hour) ?? 0,
      };
      // An hour of which nothing is known has no object.
      const isIdle = Object.values(numbers).every((number) => number === 0);
      const countIn = (objects: Pick<FeedReader, "countEvents"> | undefined): Promise<number> | number | undefined =>
        isIdle && objects !== undefined ? 0 : objects?.countEvents(scope, hour);
      const isFed = feedSince !== undefined && hour >= feedSince;
      const [archived, fed] = await Promise.all([countIn(archive), countIn(isFed ? feed : undefined)]);
      hours.set(hour, { ...numbers, archived, fed });
    });
    const isWhole = ofLog.length === 24;
    const dayCounted = ofDay.reduce((sum, rollup) => sum + (isExact(rollup, now) ? eventsIn(rollup) : 0), 0);
    return { day, hours, ...(isWhole && { dayCounted }), events: recorded, judged, due };
  };
