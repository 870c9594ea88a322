/** From what is stored to whoever processes it: over the event bus, by name only. */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import { EVENT_SOURCE } from "../security/event-source.ts";
import type { EventKey, WebhookEventStore } from "./webhook-event-store.ts";

/** The bus event's detail type; a rule sends these to the queue of process-webhook. */
export const WEBHOOK_RECEIVED = "WebhookReceived";

/** Its detail: which event is to be processed. */
export const WebhookReceived = z.object({ organizationId: z.string(), eventId: z.string() });
export type WebhookReceived = z.output<typeof WebhookReceived>;

type HandOver = BusEvent & { key: EventKey };

const toBusEvent = (key: EventKey): HandOver => {
  const detail: WebhookReceived = { organizationId: key.organizationId, eventId: key.id };
  return { source: EVENT_SOURCE, detailType: WEBHOOK_RECEIVED, detail, key };
};

/**
 * Puts events on the bus, each at least once. Never throws.
 * @returns those that it did not take.
 */
export const publishReceived = async (
  bus: Pick<EventBus, "publish">,
  keys: readonly EventKey[],
): Promise<readonly EventKey[]> => {
  const unpublished = await bus.publish(keys.map(toBusEvent));
  for (const { event, reason } of unpublished) {
    writeLog("warn", "A webhook's event was not handed over", { eventId: event.key.id, reason });
  }
  return unpublished.map(({ event }) => event.key);
};

/** An event waits this long before the schedule takes it for one that nobody handed over. */
const SWEEP_AFTER_MS = 60_000;
/** Of each of the 16 parts at once: 192 events are 20 calls, which one publication has time for. */
const ROUND_LIMIT = 12;
/** The time that a round is sure to have. */
const ROUND_MS = 20_000;
const MARKS_AT_ONCE = 10;
const INDEX_LAG_MS = 1_000;

export type HandOverParts = {
  events: Pick<WebhookEventStore, "listPending" | "markHandedOver">;
  bus: Pick<EventBus, "publish">;
  now: Clock;
  /** Gives the index time to forget what was marked. */
  pause?: () => Promise<unknown>;
};

/**
 * Hands over what has waited for a minute, round by round until nothing is left, the bus refuses, or the time is over.
 * @param remainingMs how much of the function's time is left.
 */
export const handOverPending = async (
  { events, bus, now, pause = () => sleep(INDEX_LAG_MS) }: HandOverParts,
  remainingMs: () => number,
) => {
  const total = { handedOver: 0, failed: 0 };
  const before = now() - SWEEP_AFTER_MS;
  const seen = new Set<string>();
  let isPaused = false;
  while (total.failed === 0 && remainingMs() > ROUND_MS) {
    const waiting = await events.listPending({ before, limit: ROUND_LIMIT });
    // What comes again could not be marked: the next run's, or this one would publish it round after round.
    const fresh = waiting.filter((key) => !seen.has(nameOf(key)));
    if (fresh.length === 0) {
      if (waiting.length === 0 || isPaused) break;
      // Or the index has not heard of the mark yet, and what lies behind waits still.
      await pause();
      isPaused = true;
      continue;
    }
    isPaused = false;
    for (const key of fresh) seen.add(nameOf(key));
    const refused = new Set((await publishReceived(bus, fresh)).map(nameOf));
    const taken = fresh.filter((key) => !refused.has(nameOf(key)));
    // Whoever cannot be marked is handed over once more, which changes nothing.
    await inParallel(taken, MARKS_AT_ONCE, (key) => events.markHandedOver(key, now()).catch(() => undefined));
    total.handedOver += taken.length;
    total.failed += refused.size;
  }
  return total;
};

const nameOf = ({ organizationId, id }: EventKey): string => `${id} ${organizationId}`;
