/**
 * Every hour: hands over what webhooks brought and nobody is known to have handed over.
 * docs/webhooks.md, "Nothing is lost".
 */
import { createScheduledHandler } from "../../shared/runtime/create-scheduled-handler.ts";
import { type HandOverParts, handOverPending } from "../../shared/webhooks/hand-over.ts";
import { wireHandOver } from "../../shared/wiring/webhooks.ts";

export const handOverWebhooksHandler = (parts: HandOverParts) =>
  createScheduledHandler("hand-over-webhooks", ({ remainingMs }) => handOverPending(parts, remainingMs));

export const handler = handOverWebhooksHandler(wireHandOver());
