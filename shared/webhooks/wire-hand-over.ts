/** What hands over events in a deployed function. */
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import type { HandOverParts } from "./hand-over.ts";
import { createWebhookEventStore, type WebhookEventStore } from "./webhook-event-store.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireHandOver = (): HandOverParts & { events: WebhookEventStore } => {
  const config = readConfig(["WEBHOOK_EVENTS_TABLE_NAME", "EVENT_BUS_NAME"]);
  return {
    events: createWebhookEventStore(documentClient, config.WEBHOOK_EVENTS_TABLE_NAME),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    now: systemClock,
  };
};
