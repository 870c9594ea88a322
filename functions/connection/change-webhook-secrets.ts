/**
 * PUT /api/integrations/provider/connection/webhook-secrets: replaces the secrets that verify the caller's webhooks.
 * Decisions: docs/connection.md, "Webhook secrets".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireChangeWebhookSecrets } from "../../shared/wiring/connection.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = connectionRoutes.changeWebhookSecrets;
const change = wireChangeWebhookSecrets();

export const handler = createHandler(
  route,
  ({ body, caller, origin }) => change(body.webhookSecrets, { caller, origin }),
  wireHandler(route),
);
