/**
 * GET /api/integrations/provider/connection: the connection of the caller's organization, without its credentials.
 * Decisions: docs/connection.md.
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireViewConnection } from "../../shared/wiring/connection.ts";
import { wireConnectionStore } from "../../shared/wiring/connection-stores.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = connectionRoutes.getConnection;
const connections = wireConnectionStore();
const view = wireViewConnection();

export const handler = createHandler(
  route,
  async ({ caller: { organizationId } }) => view(organizationId, await connections.read(organizationId)),
  wireHandler(route),
);
