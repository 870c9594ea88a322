/**
 * DELETE /api/integrations/provider/connection: disconnects the caller's organization; syncing stops at once.
 * Decisions: docs/connection.md, "Disconnecting".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireDisconnectByUser } from "../../shared/wiring/connection.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = connectionRoutes.disconnectProvider;
const disconnect = wireDisconnectByUser();

export const handler = createHandler(route, ({ caller, origin }) => disconnect({ caller, origin }), wireHandler(route));
