/**
 * Publishes what a schedule has found, in batches, until the bus has taken everything or the time runs short. A dispatch
 * may be repeated from its beginning, so consumers must accept an event twice.
 */
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";

/** At most one batch starts in `intervalMs`; a batch that the bus refuses is repeated after as long. */
export type RateLimit = { intervalMs: number; clock: Clock; sleep: (ms: number) => Promise<unknown> };

export type Dispatch<Item> = {
  items: Iterable<Item> | AsyncIterable<Item>;
  batchSize: number;
  toEvents(batch: readonly Item[]): BusEvent[];
  /**
   * The event by which the next invocation continues after `last`. Such a dispatch publishes at least one batch. Without
   * it, the rest waits for the schedule's next occurrence.
   */
  continueAfter?(last: Item): BusEvent;
  bus: Pick<EventBus, "publish">;
  /** How often a batch is published if the bus keeps refusing. */
  maxPublications: number;
  rateLimit?: RateLimit;
  remainingMs: () => number;
  /** No batch starts once less than this is left. */
  marginMs: number;
};

async function* batchesOf<Item>(items: Dispatch<Item>["items"], size: number): AsyncGenerator<Item[], void, void> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Dispatches items in their order.
 * @returns how many items were published, and whether another invocation continues.
 * @throws Error if the bus keeps refusing a batch.
 */
export const dispatch = async <Item>(
  options: Dispatch<Item>,
): Promise<{ dispatched: number; isHandedOver: boolean }> => {
  const { items, batchSize, toEvents, continueAfter, bus, maxPublications, rateLimit, remainingMs, marginMs } = options;
  let startedAt: number | undefined;
  const waitForTurn = async ({ intervalMs, clock, sleep }: RateLimit): Promise<void> => {
    const waitMs = startedAt === undefined ? 0 : startedAt + intervalMs - clock();
    if (waitMs > 0) await sleep(waitMs);
    startedAt = clock();
  };
  const publish = async (events: readonly BusEvent[]): Promise<void> => {
    if (rateLimit !== undefined) await waitForTurn(rateLimit);
    let left = events;
    for (let publication = 0; left.length > 0; publication++) {
      if (publication === maxPublications) throw new Error("The event bus does not take the events of a dispatch.");
      if (publication > 0) await rateLimit?.sleep(rateLimit.intervalMs);
      left = (await bus.publish(left)).map(({ event }) => event);
    }
  };

  let dispatched = 0;
  let last: Item | undefined;
  for await (const batch of batchesOf(items, batchSize)) {
    const isTimeShort = remainingMs() < marginMs;
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
