/**
 * Webhooks as Standard Webhooks defines them.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { Webhook } from "standardwebhooks";
import type { Notification } from "./notification.ts";

/** The body: the notification, its `timestamp` as ISO 8601. Times inside `data` stay epoch milliseconds, as in the API. */
export const webhookBody = ({ type, timestamp, organizationId, data }: Notification): string =>
  JSON.stringify({ type, timestamp: new Date(timestamp).toISOString(), organizationId, data });

type Signed = {
  /** The same for every try of a delivery, so that the receiver can recognise it. Must not contain a dot. */
  id: string;
  /** When the try is made, epoch ms. */
  at: number;
  body: string;
  /** `whsec_…`: the current secret, and while it is rolled the one before. Each gives a signature. */
  secrets: readonly string[];
};

/** The headers of a webhook. A receiver accepts it if one of the signatures matches its secret. */
export const webhookHeaders = ({ id, at, body, secrets }: Signed): Record<string, string> => ({
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at / 1000)),
  "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body)).join(" "),
});
