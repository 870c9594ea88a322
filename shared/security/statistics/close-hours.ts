/**
 * Closes hours. A closer counts the events of an open hour that is over again, overwrites the rollups of the hour and of
 * its day, marks the hour for detection, sealing and its objects, and removes the hour's marker. If a closer crashes, the marker is
 * still there and the next run repeats the work. Nothing is ever added to a stored number, so nothing is counted twice.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../runtime/clock.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { createTurns } from "../../runtime/take-turns.ts";
import { DAY_MS, HOUR_MS, startOfDay } from "../../terms/hours.ts";
import { whileThereIsTime } from "../../work/while-time.ts";
import type { EventCountStore } from "./event-count-store.ts";
import type { OpenHour, OpenHourStore } from "./open-hour-store.ts";
import { isExpired, type Period, type Rollup, type RollupStore, sumRollups } from "./rollup-store.ts";

/** The time to store an event that is being written when its hour ends, or when a late event marks its hour. */
export const GRACE_MS = 5 * 60_000;
const HOURS_AT_ONCE = 8;
/** No closing begins with less time left. */
const MARGIN_MS = 20_000;
const DAY_ATTEMPTS = 5;

export type CloseHoursDependencies = {
  openHours: Pick<OpenHourStore, "listAll" | "clear">;
  rollups: Pick<RollupStore, "get" | "put" | "list">;
  events: Pick<EventCountStore, "countRange">;
  /** Marks an hour as due for detection, unless the hour has been judged. */
  detection: { markUnjudged(scope: string, hour: number): Promise<void> };
  /** Marks an hour's objects of feed and archive as due; undefined if the deployment has neither. */
  objects?: { markDue(scope: string, hour: number): Promise<void> } | undefined;
  /** Marks an hour as due for sealing; undefined where nothing is sealed. */
  sealing?: { markDue(scope: string, hour: number): Promise<void> } | undefined;
  now: Clock;
  /** How long a marker outlives the writes, because readers read rollups eventually consistent. */
  settleMs: number;
};

type CloseHoursResult = {
  closed: number;
  /** Hours that were marked again, or that another closer was closing; a later run closes them. */
  left: number;
  /** Whether there was time for every open hour. */
  isComplete: boolean;
};

type Stores = Pick<CloseHoursDependencies, "rollups" | "events">;

/**
 * Overwrites a rollup by what `compute` returns, unless the rollup has changed since it was read. It is read before
 * `compute`, so that a put never undoes a later one.
 */
const overwrite = async (
  { rollups }: Stores,
  scope: string,
  period: Period,
  compute: () => Promise<Rollup | undefined>,
): Promise<"written" | "nothing" | "overtaken"> => {
  const previous = await rollups.get(scope, period);
  // If all events have expired, an empty rollup replaces the old one.
  const rollup = (await compute()) ?? (previous && { ...previous, counters: [] });
  if (rollup === undefined) return "nothing";
  return (await rollups.put(scope, period, rollup, previous?.token)) ? "written" : "overtaken";
};

/** Overwrites a day by the sum of its hours. @returns false if other closers kept overtaking this one. */
const summariseDay = async (stores: Stores, scope: string, day: number, now: number): Promise<boolean> => {
  const span = { first: day, last: day + DAY_MS - HOUR_MS };
  for (let attempt = 0; attempt < DAY_ATTEMPTS; attempt++) {
    const outcome = await overwrite(stores, scope, { kind: "day", start: day }, async () => {
      const hours = await stores.rollups.list(scope, "hour", span, { strongly: true });
      return sumRollups(hours.filter((hour) => !isExpired(hour, now)));
    });
    if (outcome !== "overtaken") return true;
  }
  return false;
};

/** Overwrites an hour by the counters of its events. */
const summariseHour = (stores: Stores, { scope, hour }: OpenHour, now: number) =>
  overwrite(stores, scope, { kind: "hour", start: hour }, () =>
    stores.events.countRange(scope, { from: hour, to: hour + HOUR_MS }, { now, strongly: true }),
  );

/**
 * Closes the open hours that ended at least five minutes ago and were not marked since, oldest first, as many as the time
 * allows. Several closers may run at once.
 * @param remainingMs how much of the function's time is left.
 * @param shard closes only the hours of this shard.
 * @throws Error at the end if hours could not be closed; its cause is the first failure.
 */
export const closeHours = async (
  { openHours, detection, objects, sealing, now, settleMs, ...stores }: CloseHoursDependencies,
  remainingMs: () => number,
  shard?: string,
): Promise<CloseHoursResult> => {
  const result = { closed: 0, left: 0, isComplete: true };
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  const clearing: Promise<void>[] = [];
  const takeTurns = createTurns<boolean>();

  const stop = (): void => {
    result.isComplete = false;
  };
  const limits = { remainingMs, marginMs: MARGIN_MS, failures, stop };
  const clear = async (openHour: OpenHour) => {
    if (settleMs > 0) await sleep(settleMs);
    if (await openHours.clear(openHour)) result.closed++;
    else result.left++;
  };
  /** Hours of a day take turns on the day's rollup, because they would overtake each other. */
  const summarise = async (openHour: OpenHour, startedAt: number): Promise<boolean> => {
    const outcome = await summariseHour(stores, openHour, startedAt);
    if (outcome !== "written") return outcome === "nothing";
    const [scope, day] = [openHour.scope, startOfDay(openHour.hour)];
    return takeTurns(`${scope} ${day}`, () => summariseDay(stores, scope, day, startedAt));
  };
  const close = async (openHour: OpenHour) => {
    const startedAt = now();
    if (openHour.markedAt + GRACE_MS > startedAt || !(await summarise(openHour, startedAt))) {
      result.left++;
      return;
    }
    await detection.markUnjudged(openHour.scope, openHour.hour);
    await sealing?.markDue(openHour.scope, openHour.hour);
    await objects?.markDue(openHour.scope, openHour.hour);
    clearing.push(clear(openHour).catch(fail));
  };

  const found = openHours.listAll(now() - GRACE_MS - HOUR_MS, shard);
  await inParallel(whileThereIsTime(found, limits), HOURS_AT_ONCE, (openHour) => close(openHour).catch(fail)).catch(
    fail,
  );
  await Promise.all(clearing);
  if (failures.length > 0) throw new Error(`${failures.length} hours could not be closed.`, { cause: failures[0] });
  return result;
};
