/**
 * GET /api/integrations/provider/webhooks: the events that the provider delivered, newest first, with their status.
 * Decisions: docs/webhooks.md, "Deliveries".
 */
import { webhookRoutes } from "../../shared/api/webhook-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { toDelivery } from "../../shared/webhooks/delivery.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireDeliveryList } from "../../shared/wiring/webhooks.ts";

const route = webhookRoutes.listWebhookDeliveries;
const deliveries = wireDeliveryList();

export const handler = createHandler(
  route,
  async ({ caller, query: { status }, page }) => {
    const now = systemClock();
    const { items, next } = await deliveries.list(caller.organizationId, { ...page, status, now });
    // The partition is a part of the position: a page that would be too large ends at one of its items.
    return { items: items.map((stored) => ({ ...toDelivery(stored, now), partition: stored.partition })), next };
  },
  wireHandler(route),
);
