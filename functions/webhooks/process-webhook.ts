/**
 * Applies the events that webhooks delivered, from the queue that the event bus fills.
 * docs/webhooks.md, "Processing".
 */
import { createQueueHandler } from "../../shared/runtime/background-handlers.ts";
import { WebhookReceived } from "../../shared/webhooks/webhook-outbox.ts";
import { wireProcess } from "../../shared/wiring/webhooks.ts";

export const handler = createQueueHandler("process-webhook", WebhookReceived, wireProcess());
