/**
 * Writes the objects of the hours that are due. A mark is cleared after its object was written, and only if the hour was
 * not marked again concurrently; a crash leaves the mark, and the next run writes the same object again. The lease of an
 * organization keeps a slow worker from replacing a later object by its own.
 */
import * as z from "zod/mini";
import type { Clock } from "../../runtime/clock.ts";
import type { BusEvent, EventBus } from "../../runtime/event-bus.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { EVENT_SOURCE } from "../../terms/event-source.ts";
import { HOUR_MS } from "../../terms/hours.ts";
import { organizationIdOf } from "../../terms/keys.ts";
import { continueIn } from "../../work/hand-over.ts";
import { type DueHour, type DueHourStore, dueHourShards } from "./due-hour-store.ts";
import { type HourWriterDependencies, writeHour } from "./write-hour.ts";

export const FEED_CONTINUED_TYPE = "SiemFeedContinued";

/** What starts a run: the schedule, with an empty detail; or a run whose time ran short. `until`: epoch ms. */
export const SiemFeedRun = z.object({ shard: z.optional(z.string()), until: z.optional(z.number()) });
export type SiemFeedRun = z.output<typeof SiemFeedRun>;

/** With less time left, no further hour is taken from the list. Hours that wait for their organization's lease still follow. */
const MARGIN_MS = 60_000;
/** In all shards together, or in the only shard of a run that continues. */
const HOURS_AT_ONCE = dueHourShards.length;
/** A run with this many failures gives up. */
const MAX_FAILURES = 10;
/** A request of a worker that has ended may arrive so much later. */
const LATE_MS = 60_000;
/** The schedule's next run begins an hour after this one. */
const CONTINUED_MS = HOUR_MS - 5 * 60_000;

export type FeedDependencies = HourWriterDependencies & {
  dueHours: Pick<DueHourStore, "listAll" | "clear" | "takeLease" | "releaseLease">;
  /** Whether an organization has switched the feed on. */
  isSwitchedOn(organizationId: string): Promise<boolean>;
  bus: Pick<EventBus, "publish">;
  now: Clock;
};

type FeedResult = {
  /** Hours whose objects were written, and their events. */
  written: number;
  events: number;
  /** Hours of organizations without a feed. */
  skipped: number;
  /** Hours that were marked again, or whose organization another worker holds; a later run writes them. */
  left: number;
  isComplete: boolean;
};

const writeDue = async (
  { dueHours, isSwitchedOn, now, ...writer }: Omit<FeedDependencies, "bus">,
  remainingMs: () => number,
  shard: string | undefined,
): Promise<FeedResult> => {
  const result = { written: 0, events: 0, skipped: 0, left: 0, isComplete: true };
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);

  const clear = async (due: DueHour, kind: "written" | "skipped"): Promise<void> => {
    result[(await dueHours.clear(due)) ? kind : "left"]++;
  };

  const write = async (due: DueHour): Promise<void> => {
    const { scope } = due;
    // Nothing is written, so no lease is needed.
    if (!(await isSwitchedOn(organizationIdOf(scope)))) return clear(due, "skipped");
    const lease = await dueHours.takeLease(scope, now() + remainingMs() + LATE_MS);
    if (lease === undefined) {
      result.left++;
      return;
    }
    try {
      result.events += await writeHour(writer, due, now());
      await clear(due, "written");
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

  const whileThereIsTime = async function* (one: string) {
    for await (const due of dueHours.listAll(one)) {
      if (remainingMs() < MARGIN_MS || failures.length >= MAX_FAILURES) {
        result.isComplete = false;
        return;
      }
      yield due;
    }
  };

  const shards = shard === undefined ? dueHourShards : [shard];
  await inParallel(shards, shards.length, (one) =>
    inParallel(whileThereIsTime(one), HOURS_AT_ONCE / shards.length, writeInTurn).catch(fail),
  );
  if (failures.length > 0) throw new Error(`${failures.length} hours could not be fed.`, { cause: failures[0] });
  return result;
};

/**
 * Writes as many due hours as the time allows. If it runs short, each shard of the marks gets an invocation of its own.
 * @throws Error if hours could not be written, or if the bus does not take the events: the run may be repeated.
 */
export const writeFeed = async (
  { bus, ...dependencies }: FeedDependencies,
  { shard, until = dependencies.now() + CONTINUED_MS }: SiemFeedRun,
  remainingMs: () => number,
) => {
  const result = await writeDue(dependencies, remainingMs, shard);
  const isHandedOver = !result.isComplete && result.written + result.skipped > 0 && dependencies.now() < until;
  if (isHandedOver) {
    const events = (shard === undefined ? dueHourShards : [shard]).map(
      (one): BusEvent => ({
        source: EVENT_SOURCE,
        detailType: FEED_CONTINUED_TYPE,
        detail: { shard: one, until } satisfies SiemFeedRun,
      }),
    );
    await continueIn({ bus, remainingMs }, events);
  }
  return { ...result, isHandedOver };
};
