/** Webhook events as tests store them. */
import type { WebhookEvent } from "../../../shared/webhooks/webhook-event.ts";
import { customer, seen } from "../../support/records.ts";

/** The arrival time of test events in epoch ms, and their creation time, one second earlier. */
export const NOW = Date.UTC(2026, 10, 21, 12, 30);
export const SECONDS = NOW / 1_000 - 1;

export const webhookEvent = (changes: Partial<WebhookEvent> = {}): WebhookEvent => ({
  id: "evt_1",
  type: "customer.updated",
  createdSeconds: SECONDS,
  objectId: "cus_1",
  observations: [customer(seen(SECONDS))],
  isDeauthorization: false,
  connectionId: "c1",
  accountId: "acct_1",
  receivedAt: NOW,
  ...changes,
});
