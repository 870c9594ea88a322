/**
 * Every hour: publishes the webhook events that are stored and not known to be published.
 * docs/webhooks.md, "Nothing is lost".
 */
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { publishPending } from "../../shared/webhooks/webhook-outbox.ts";
import { wireOutbox } from "../../shared/wiring/webhooks.ts";

const outbox = wireOutbox();

export const handler = createScheduledHandler("hand-over-webhooks", ({ remainingMs }) =>
  publishPending(outbox, remainingMs),
);
