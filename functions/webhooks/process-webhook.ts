/**
 * Applies what webhooks brought, from the queue that the event bus fills.
 * docs/webhooks.md, "Processing".
 */
import { createQueueHandler } from "../../shared/runtime/create-queue-handler.ts";
import { WebhookReceived } from "../../shared/webhooks/hand-over.ts";
import type { Process } from "../../shared/webhooks/process.ts";
import { wireProcess } from "../../shared/wiring/webhooks.ts";

export const processWebhookHandler = (process: Process) =>
  createQueueHandler("process-webhook", WebhookReceived, process);

export const handler = processWebhookHandler(wireProcess());
