/**
 * Closing hours: the events of each open hour that is over are counted anew, its rollup and its day's are overwritten,
 * detection is told of it if it has not judged it, and then its marker goes. Whatever stops a closer on its way, the marker is still there and the next run does it
 * again; nothing is ever added to a stored number, so nothing can count twice.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../runtime/clock.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { createTurns } from "../../runtime/take-turns.ts";
import { DAY_MS, HOUR_MS, startOfDay } from "../../terms/hours.ts";
import type { EventCountStore } from "./event-count-store.ts";
import type { OpenHour, OpenHourStore } from "./open-hour-store.ts";
import { isExpired, type Rollup, type RollupStore, sumRollups } from "./rollup-store.ts";

/** An event that is on its way when its hour ends, or when a late one marks it, has this long to be stored. */
export const GRACE_MS = 5 * 60_000;
const HOURS_AT_ONCE = 8;
/** A closing is begun only while this much of the run's time is left. */
const MARGIN_MS = 20_000;
/** Then something is wrong with more than an hour. */
const MAX_FAILURES = 10;
const DAY_ATTEMPTS = 5;

export type CloseHoursParts = {
  openHours: Pick<OpenHourStore, "listAll" | "clear">;
  rollups: Pick<RollupStore, "get" | "put" | "list">;
  events: Pick<EventCountStore, "countRange">;
  /** Takes note of an hour that nobody judged yet; without its marker nothing else would tell of it. */
  detection: { markUnjudged(scope: string, hour: number): Promise<void> };
  now: Clock;
  /** Readers read rollups eventually consistent: a marker stays until what was written is everywhere. */
  settleMs: number;
};

export type CloseHoursResult = {
  closed: number;
  /** Hours that were marked again or that another closer was at; a later run closes them. */
  left: number;
  /** Whether time was enough for every open hour that was found. */
  isComplete: boolean;
};

type Parts = Pick<CloseHoursParts, "rollups" | "events">;

/** What remains where everything has expired or gone: an overwritten rollup rather than a stale one. */
const emptied = ({ exactUntil, expiresAt }: Rollup): Rollup => ({ counters: [], exactUntil, expiresAt });

/** Overwrites a day by the sum of its hours. Its version is read before them, so that a put never undoes a later one. */
const summariseDay = async ({ rollups }: Parts, scope: string, day: number, now: number): Promise<boolean> => {
  for (let attempt = 0; attempt < DAY_ATTEMPTS; attempt++) {
    const period = { kind: "day", start: day } as const;
    const previous = await rollups.get(scope, period);
    const hours = await rollups.list(scope, "hour", { first: day, last: day + DAY_MS - HOUR_MS }, { strongly: true });
    const sum = sumRollups(hours.filter((hour) => !isExpired(hour, now))) ?? (previous && emptied(previous));
    if (sum === undefined || (await rollups.put(scope, period, sum, previous?.token))) return true;
  }
  return false;
};

/** Overwrites an hour by what its events count up to; the version is read before them, for the same reason. */
const summariseHour = async (
  { rollups, events }: Parts,
  { scope, hour }: Pick<OpenHour, "scope" | "hour">,
  now: number,
): Promise<"written" | "nothing" | "overtaken"> => {
  const period = { kind: "hour", start: hour } as const;
  const previous = await rollups.get(scope, period);
  const counted = await events.countRange(scope, { from: hour, to: hour + HOUR_MS }, { now, strongly: true });
  const rollup = counted ?? (previous && emptied(previous));
  if (rollup === undefined) return "nothing";
  return (await rollups.put(scope, period, rollup, previous?.token)) ? "written" : "overtaken";
};

/**
 * Closes the open hours that ended at least five minutes ago and were not marked since, the oldest first, as many as
 * the time allows. Any number of closers may run at once.
 * @param remainingMs how much time the run has left; asked again and again.
 * @throws Error at the end where hours could not be closed, with the first one's failure as its cause.
 */
export const closeHours = async (
  { openHours, detection, now, settleMs, ...parts }: CloseHoursParts,
  remainingMs: () => number,
): Promise<CloseHoursResult> => {
  const result = { closed: 0, left: 0, isComplete: true };
  const failures: unknown[] = [];
  const clearing: Promise<void>[] = [];
  const takeTurns = createTurns<boolean>();

  const whileThereIsTime = async function* (found: AsyncIterable<OpenHour>) {
    for await (const openHour of found) {
      if (remainingMs() < MARGIN_MS || failures.length >= MAX_FAILURES) {
        result.isComplete = false;
        return;
      }
      yield openHour;
    }
  };
  const clear = async (openHour: OpenHour) => {
    if (settleMs > 0) await sleep(settleMs);
    if (await openHours.clear(openHour)) result.closed++;
    else result.left++;
  };
  /** Hours of one day share its summaries, or they would overtake each other. */
  const summarise = async (openHour: OpenHour, startedAt: number): Promise<boolean> => {
    const outcome = await summariseHour(parts, openHour, startedAt);
    if (outcome !== "written") return outcome === "nothing";
    const [scope, day] = [openHour.scope, startOfDay(openHour.hour)];
    return takeTurns(`${scope} ${day}`, () => summariseDay(parts, scope, day, startedAt));
  };
  const close = async (openHour: OpenHour) => {
    const startedAt = now();
    if (openHour.markedAt + GRACE_MS > startedAt) return void result.left++;
    try {
      if (!(await summarise(openHour, startedAt))) return void result.left++;
      await detection.markUnjudged(openHour.scope, openHour.hour);
      clearing.push(clear(openHour).catch((error: unknown) => void failures.push(error)));
    } catch (error) {
      failures.push(error);
    }
  };

  const found = openHours.listAll(now() - GRACE_MS - HOUR_MS);
  await inParallel(whileThereIsTime(found), HOURS_AT_ONCE, close).catch((error: unknown) => void failures.push(error));
  await Promise.all(clearing);
  if (failures.length > 0) throw new Error(`${failures.length} hours could not be closed.`, { cause: failures[0] });
  return result;
};
