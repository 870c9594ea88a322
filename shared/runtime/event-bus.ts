/** Publishes events in batches, repeats failed entries within a deadline, and never throws. */
import { limitTo } from "./call-store.ts";
import { type BusEntry, type EventBusClient, eventBridge } from "./event-bridge.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";

/**
 * PutEvents takes this much at once: in some regions the entries together must be smaller than 256 KB.
 * https://docs.amazonaws.cn/en_us/eventbridge/latest/userguide/eb-putevent-size.html
 */
const MAX_ENTRIES = 10;
const MAX_BYTES = 256 * 1024 - 1;

const MAX_ATTEMPTS = 4;
/** For all batches and attempts of one publication: a request may be waiting. */
const DEADLINE_MS = 2_500;

/** An event of the bus; `detail` is what JSON.stringify writes. */
export type BusEvent = { source: string; detailType: string; detail: object };

/** An event that the bus did not accept, and the code or name of the reason. */
export type Unpublished<Event extends BusEvent> = { event: Event; reason: string };

let made: EventBusClient | undefined;

/** The client that all buses of a function share; created at the first publication. */
export const eventBusClient: EventBusClient = {
  putEvents(entries, abortSignal) {
    made ??= eventBridge();
    return made.putEvents(entries, abortSignal);
  },
};

type Pending<Event extends BusEvent> = { event: Event; entry: BusEntry; bytes: number; reason: string };

/** As PutEvents counts them. */
const bytesOf = ({ Source, DetailType, Detail }: BusEntry): number => Buffer.byteLength(Source + DetailType + Detail);

/** Full batches in order, without entries that are too large for any batch. */
const batchesOf = <Event extends BusEvent>(pending: readonly Pending<Event>[]): Pending<Event>[][] => {
  const batches: Pending<Event>[][] = [];
  let bytes = 0;
  for (const one of pending) {
    if (one.bytes > MAX_BYTES) continue;
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === MAX_ENTRIES || bytes + one.bytes > MAX_BYTES) {
      batches.push([one]);
      bytes = one.bytes;
    } else {
      batch.push(one);
      bytes += one.bytes;
    }
  }
  return batches;
};

export type EventBus = ReturnType<typeof createEventBus>;

export const createEventBus = (client: EventBusClient, busName: string) => {
  /** Sends a batch once. @returns the failed entries. */
  const send = async <Event extends BusEvent>(batch: readonly Pending<Event>[], signal: AbortSignal) => {
    try {
      const reasons = await client.putEvents(
        batch.map(({ entry }) => entry),
        signal,
      );
      return batch.flatMap((one, i) => (reasons[i] === undefined ? [] : [{ ...one, reason: reasons[i] }]));
    } catch (error) {
      const reason = error instanceof Error ? error.name : String(error);
      return batch.map((one) => ({ ...one, reason }));
    }
  };

  return {
    /**
     * Publishes events, each at least once, four times at most and within 2.5 s, or the request's time. Never throws.
     * @returns the events that the bus did not accept, in no order.
     */
    async publish<Event extends BusEvent>(events: readonly Event[]): Promise<Unpublished<Event>[]> {
      const signal = limitTo(DEADLINE_MS);
      let pending: Pending<Event>[] = events.map((event) => {
        const { source: Source, detailType: DetailType, detail } = event;
        const entry = { EventBusName: busName, Source, DetailType, Detail: JSON.stringify(detail) };
        const bytes = bytesOf(entry);
        return { event, entry, bytes, reason: bytes > MAX_BYTES ? "TooLarge" : "NoTimeLeft" };
      });
      const tooLarge = pending.filter(({ bytes }) => bytes > MAX_BYTES);
      for (let attempt = 0; attempt < MAX_ATTEMPTS && !signal.aborted; attempt++) {
        if (attempt > 0) await pauseBeforeRetry(attempt + 1);
        const failed: Pending<Event>[] = [];
        for (const batch of batchesOf(pending)) failed.push(...(await send(batch, signal)));
        pending = failed;
        if (pending.length === 0) break;
      }
      return [...tooLarge, ...pending].map(({ event, reason }) => ({ event, reason }));
    },
  };
};
