/**
 * Publishes what a schedule has found, in batches, until the bus has taken everything or the time runs short. Batches are
 * spread over time, because each event starts an invocation: new accounts may run 10 functions at once.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * A dispatch may be repeated from its beginning, so consumers must accept an event twice.
 */
import { chunksOf } from "../runtime/chunks.ts";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";

/** After the first batches, one starts in each interval: twenty items a second, or more if there are too many for that. */
export const BATCH_INTERVAL_MS = 250;
export const MIN_BATCH = 5;

/** Batches that start at once. Without them a dozen organizations would cost the dispatcher seconds of waiting. */
const BURST = 10;

/** A dispatch that is late spreads the rest over this time. */
const MIN_SPREAD_MS = 5 * 60_000;

/** If the bus refuses a batch so often, the dispatch fails. With the bus's own time-outs that takes 30 s. */
const MAX_PUBLICATIONS = 10;

/** Of the function's time; no batch starts with less left. */
const MARGIN_MS = 40_000;

export type Dispatch<Item> = {
  items: readonly Item[];
  /** The time over which the batches are spread if there are more items than twenty a second. */
  withinMs: number;
  toEvents(batch: readonly Item[]): BusEvent[];
  /**
   * The event by which the next invocation continues after `last`. Such a dispatch publishes at least one batch. Without
   * it, the rest waits for the schedule's next occurrence.
   */
  continueAfter?(last: Item): BusEvent;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
  remainingMs: () => number;
};

const batchSizeOf = (count: number, withinMs: number): number =>
  Math.max(MIN_BATCH, Math.ceil((count * BATCH_INTERVAL_MS) / Math.max(withinMs, MIN_SPREAD_MS)));

/**
 * Dispatches items in their order.
 * @returns how many items were published, and whether another invocation continues.
 * @throws Error if the bus keeps refusing a batch.
 */
export const dispatch = async <Item>(
  options: Dispatch<Item>,
): Promise<{ dispatched: number; isHandedOver: boolean }> => {
  const { items, withinMs, toEvents, continueAfter, bus, clock, sleep, remainingMs } = options;
  let nextAt = Number.NEGATIVE_INFINITY;
  const publish = async (events: readonly BusEvent[]): Promise<void> => {
    const waitMs = nextAt - clock();
    if (waitMs > 0) await sleep(waitMs);
    nextAt = Math.max(nextAt, clock() - (BURST - 1) * BATCH_INTERVAL_MS) + BATCH_INTERVAL_MS;
    let left = events;
    for (let publication = 0; left.length > 0; publication++) {
      if (publication === MAX_PUBLICATIONS) throw new Error("The event bus does not take the events of a dispatch.");
      if (publication > 0) await sleep(BATCH_INTERVAL_MS);
      left = (await bus.publish(left)).map(({ event }) => event);
    }
  };

  let dispatched = 0;
  let last: Item | undefined;
  for (const batch of chunksOf(items, batchSizeOf(items.length, withinMs))) {
    const isTimeShort = remainingMs() < MARGIN_MS;
    if (isTimeShort && continueAfter === undefined) break;
    if (isTimeShort && continueAfter !== undefined && last !== undefined) {
      await publish([continueAfter(last)]);
      return { dispatched, isHandedOver: true };
    }
    await publish(toEvents(batch));
    dispatched += batch.length;
    last = batch.at(-1);
  }
  return { dispatched, isHandedOver: false };
};
