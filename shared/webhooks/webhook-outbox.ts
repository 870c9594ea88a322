/**
 * The outbox of webhook events: from the store to process-webhook, over the event bus. accept-event.ts publishes an event as
 * soon as it is stored; every hour hand-over-webhooks publishes the events that were left behind (shared/work/outbox.ts).
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { SWEEP_AFTER_MS, sweepOutbox } from "../work/outbox.ts";
import type { EventKey } from "./event-partitions.ts";
import type { WebhookEventStore } from "./webhook-event-store.ts";

/** The bus event's detail type; a rule sends these to the queue of process-webhook. */
export const WEBHOOK_RECEIVED = "WebhookReceived";

/** The bus event's detail: which event is to be processed. */
export const WebhookReceived = z.object({ organizationId: z.string(), eventId: z.string() });
export type WebhookReceived = z.output<typeof WebhookReceived>;

const toBusEvent = (key: EventKey) => {
  const detail: WebhookReceived = { organizationId: key.organizationId, eventId: key.id };
  return { source: EVENT_SOURCE, detailType: WEBHOOK_RECEIVED, detail, key };
};

/**
 * Publishes events, each at least once. Never throws.
 * @returns the events that the bus did not take.
 */
export const publishReceived = async (
  bus: Pick<EventBus, "publish">,
  keys: readonly EventKey[],
): Promise<readonly EventKey[]> => {
  const unpublished = await bus.publish(keys.map(toBusEvent));
  for (const { event, reason } of unpublished) {
    writeLog("warn", "Publishing a webhook event failed; it stays in the outbox", { eventId: event.key.id, reason });
  }
  return unpublished.map(({ event }) => event.key);
};

/** Of each of the 16 shards: 192 events are 20 calls of the bus, which one publication has time for. */
const ROUND_LIMIT = 12;
const MARKS_AT_ONCE = 10;
const INDEX_LAG_MS = 1_000;

export type OutboxDependencies = {
  events: Pick<WebhookEventStore, "listPending" | "markPublished">;
  bus: Pick<EventBus, "publish">;
  now: Clock;
  /** Waits until the index shows the marks. */
  pause?: () => Promise<unknown>;
};

const nameOf = ({ organizationId, id }: EventKey): string => `${id} ${organizationId}`;

/**
 * Publishes the events that have waited in the outbox for a minute.
 * @param remainingMs how much of the function's time is left.
 */
export const publishPending = async (
  { events, bus, now, pause = () => sleep(INDEX_LAG_MS) }: OutboxDependencies,
  remainingMs: () => number,
) => {
  const before = now() - SWEEP_AFTER_MS;
  const { published, failed } = await sweepOutbox<EventKey>(
    {
      list: () => events.listPending({ before, limit: ROUND_LIMIT }),
      nameOf,
      async publish(keys) {
        const refused = new Set((await publishReceived(bus, keys)).map(nameOf));
        const taken = keys.filter((key) => !refused.has(nameOf(key)));
        // If a mark fails, the event is published once more, which changes nothing.
        await inParallel(taken, MARKS_AT_ONCE, (key) => events.markPublished(key, now()).catch(() => undefined));
        return refused.size;
      },
      pause,
    },
    remainingMs,
  );
  return { handedOver: published, failed };
};
