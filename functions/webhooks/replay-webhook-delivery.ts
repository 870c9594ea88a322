/**
 * POST /api/integrations/provider/webhooks/{id}/replay: has a failed delivery processed again.
 * Decisions: docs/webhooks.md, "Replaying a delivery".
 */
import { webhookRoutes } from "../../shared/api/webhook-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireReplayDelivery } from "../../shared/wiring/webhooks.ts";

const route = webhookRoutes.replayWebhookDelivery;
const replay = wireReplayDelivery();

export const handler = createHandler(
  route,
  ({ params, caller, origin, identity }) => replay(params.id, { caller, origin, identity }),
  withAnswerOnce(wireHandler(route)),
);
