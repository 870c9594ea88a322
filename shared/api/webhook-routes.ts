/** The endpoints of received webhooks. The provider's own endpoint is in webhook-operation.ts. Decisions: docs/webhooks.md. */
import * as z from "zod/mini";
import { defineRoutes, idOf, pagesOf } from "../http/route.ts";
import { DeliveryPosition, DeliveryQuery, WebhookDelivery } from "../webhooks/delivery.ts";

export const webhookRoutes = defineRoutes("webhooks", {
  listWebhookDeliveries: {
    method: "GET",
    path: "/api/integrations/provider/webhooks",
    permission: "status:read",
    summary: "List deliveries of webhooks",
    description:
      "Returns the events that the provider delivered in the last 30 days, newest `receivedAt` first, with their status and the records that they are about. With `status`, a page may be short or even empty and still have a next one. Forged deliveries are not stored: `GET …/security?eventType=AUTHENTICATION_FAILURE&source=webhook` lists them for callers with `security:read`.",
    request: { query: DeliveryQuery },
    paging: pagesOf(DeliveryPosition),
    success: { status: 200, description: "A page of deliveries.", body: z.array(WebhookDelivery) },
  },
  replayWebhookDelivery: {
    method: "POST",
    path: "/api/integrations/provider/webhooks/{id}/replay",
    permission: "sync:run",
    summary: "Replay a failed delivery",
    description:
      "Has a delivery with the status `failed` processed again. `GET …/webhooks` shows its result. An event that is processed twice is applied once.",
    request: { params: idOf("delivery", "webhook_not_found", "The provider's id of the event.") },
    isIdempotent: true,
    success: { status: 202, description: "The delivery, which waits to be processed.", body: WebhookDelivery },
    failures: ["webhook_not_found", "webhook_not_failed", "idempotency_conflict"],
  },
});
