/**
 * Writes the objects of the hours that are due, those of the feed and those of the archive. A mark is cleared after both
 * were written, and only if the hour was not marked again concurrently; a crash leaves the mark, and the next run writes
 * the same objects again. The lease of an organization keeps a slow worker from replacing a later object by its own.
 */
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { type DueHour, type DueHourStore, dueHourShards } from "../security/feed/due-hour-store.ts";
import type { HourEventsStore } from "../security/feed/hour-events-store.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { continueIn } from "../work/hand-over.ts";
import { whileThereIsTime } from "../work/while-time.ts";
import { type Hour, type HourFile, writeHour } from "./write-hour.ts";

/** The name is older than the archive. */
export const DUE_HOURS_CONTINUED_TYPE = "SiemFeedContinued";

/** What starts a run: the schedule, with an empty detail; or a run whose time ran short. `until`: epoch ms. */
export const DueHoursRun = z.object({ shard: z.optional(z.string()), until: z.optional(z.number()) });
export type DueHoursRun = z.output<typeof DueHoursRun>;

/** With less time left, no further hour is taken from the list. Hours that wait for their organization's lease still follow. */
const MARGIN_MS = 60_000;
/** In all shards together, or in the only shard of a run that continues. */
const HOURS_AT_ONCE = dueHourShards.length;
/** A request of a worker that has ended may arrive so much later. */
const LATE_MS = 60_000;
/** The schedule's next run begins an hour after this one. */
const CONTINUED_MS = HOUR_MS - 5 * 60_000;

/**
 * What writes objects of hours. `fileOf`: the object to make; "none" if the hour has none, "later" if it cannot be made yet.
 * It throws DomainError `store_unavailable`.
 */
export type HourWriter = { fileOf(hour: Hour, now: number): Promise<HourFile | "none" | "later"> };

export type DueHoursDependencies = {
  events: Pick<HourEventsStore, "read">;
  /** Of the feed and of the archive; one that the deployment has not is absent. */
  writers: readonly HourWriter[];
  dueHours: Pick<DueHourStore, "listAll" | "clear" | "takeLease" | "releaseLease">;
  /** Deletes objects of the archive whose hours have ended, before anything is written. @returns their hours. */
  endHours?: ((remainingMs: () => number) => Promise<number>) | undefined;
  bus: Pick<EventBus, "publish">;
  now: Clock;
};

type WrittenHours = {
  /** Hours whose objects were written, and their events. */
  written: number;
  events: number;
  /** Hours that have no object, such as those of organizations without a feed if there is no archive. */
  skipped: number;
  /**
   * Hours that were marked again, that are not sealed yet, or whose organization another worker holds; a later run writes
   * them.
   */
  left: number;
  /** Hours whose objects in the archive were deleted. */
  ended: number;
  isComplete: boolean;
};

const writeDue = async (
  { dueHours, events, writers, endHours, now }: Omit<DueHoursDependencies, "bus">,
  remainingMs: () => number,
  shard: string | undefined,
): Promise<WrittenHours> => {
  const result = { written: 0, events: 0, skipped: 0, left: 0, ended: 0, isComplete: true };
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);

  const clear = async (due: DueHour, kind: "written" | "skipped"): Promise<void> => {
    result[(await dueHours.clear(due)) ? kind : "left"]++;
  };

  const write = async (due: DueHour): Promise<void> => {
    const { scope } = due;
    const files = await Promise.all(writers.map(({ fileOf }) => fileOf(due, now())));
    const ready = files.filter((file) => typeof file === "object");
    const isDelayed = files.includes("later");
    // Nothing is written, so no lease is needed.
    if (ready.length === 0 && !isDelayed) return clear(due, "skipped");
    const lease = ready.length === 0 ? undefined : await dueHours.takeLease(scope, now() + remainingMs() + LATE_MS);
    if (lease === undefined) {
      result.left++;
      return;
    }
    try {
      const { count, isWhole } = await writeHour(events, due, ready, now());
      result.events += count;
      if (isWhole && !isDelayed) await clear(due, "written");
      else result.left++;
    } finally {
      await dueHours.releaseLease(scope, lease);
    }
  };

  /** The last hour that was taken, by organization. Hours of an organization wait for each other, because they share a lease. */
  const underWay = new Map<string, Promise<void>>();
  const writeInTurn = async (due: DueHour): Promise<void> => {
    const before = underWay.get(due.scope);
    const own = (before === undefined ? write(due) : before.then(() => write(due))).catch(fail);
    underWay.set(due.scope, own);
    await own;
    if (underWay.get(due.scope) === own) underWay.delete(due.scope);
  };

  const stop = (): void => {
    result.isComplete = false;
  };
  const limits = { remainingMs, marginMs: MARGIN_MS, failures, stop };
  const end = async (): Promise<void> => {
    if (shard === undefined) result.ended = (await endHours?.(remainingMs)) ?? 0;
  };
  await end().catch(fail);
  const shards = shard === undefined ? dueHourShards : [shard];
  await inParallel(shards, shards.length, (one) =>
    inParallel(whileThereIsTime(dueHours.listAll(one), limits), HOURS_AT_ONCE / shards.length, writeInTurn).catch(fail),
  );
  if (failures.length > 0) throw new Error(`${failures.length} hours could not be written.`, { cause: failures[0] });
  return result;
};

/**
 * Writes as many due hours as the time allows. If it runs short, each shard of the marks gets an invocation of its own.
 * @throws Error if hours could not be written, or if the bus does not take the events: the run may be repeated.
 */
export const writeDueHours = async (
  { bus, ...dependencies }: DueHoursDependencies,
  { shard, until = dependencies.now() + CONTINUED_MS }: DueHoursRun,
  remainingMs: () => number,
) => {
  const result = await writeDue(dependencies, remainingMs, shard);
  const isHandedOver = !result.isComplete && result.written + result.skipped > 0 && dependencies.now() < until;
  if (isHandedOver) {
    const events = (shard === undefined ? dueHourShards : [shard]).map(
      (one): BusEvent => ({
        source: EVENT_SOURCE,
        detailType: DUE_HOURS_CONTINUED_TYPE,
        detail: { shard: one, until } satisfies DueHoursRun,
      }),
    );
    await continueIn({ bus, remainingMs }, events);
  }
  return { ...result, isHandedOver };
};
