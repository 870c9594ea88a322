/**
 * PUT /api/integrations/provider/connection/webhook-endpoint: has the registered endpoint send all events that are read.
 * Decisions: docs/connection.md, "Registering the webhook".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireUpdateEndpoint } from "../../shared/wiring/connection.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = connectionRoutes.updateWebhookEndpoint;
const update = wireUpdateEndpoint();

export const handler = createHandler(route, ({ caller, origin }) => update({ caller, origin }), wireHandler(route));
