/** Publishes events. */
import { type EventBusClient, eventBridge } from "./event-bridge.ts";
import { sendBatches } from "./send-batches.ts";

/**
 * PutEvents takes ten entries at once. In some regions the entries together must be smaller than 256 KB.
 * https://docs.amazonaws.cn/en_us/eventbridge/latest/userguide/eb-putevent-size.html
 */
const MAX_BYTES = 256 * 1024 - 1;

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

export type EventBus = ReturnType<typeof createEventBus>;

export const createEventBus = (client: EventBusClient, EventBusName: string) => ({
  /**
   * Publishes events, each at least once, four times at most and within 2.5 s, or the request's time. Never throws.
   * @returns the events that the bus did not accept, in no order.
   */
  async publish<Event extends BusEvent>(events: readonly Event[]): Promise<Unpublished<Event>[]> {
    const entryOf = ({ source: Source, detailType: DetailType, detail }: Event) => {
      const Detail = JSON.stringify(detail);
      // As PutEvents counts them.
      const bytes = Buffer.byteLength(Source + DetailType + Detail);
      return { entry: { EventBusName, Source, DetailType, Detail }, bytes };
    };
    const unsent = await sendBatches(events, entryOf, MAX_BYTES, client.putEvents);
    return unsent.map(({ one: event, reason }) => ({ event, reason }));
  },
});
