/**
 * DELETE /api/integrations/provider/connection: disconnects the caller's organization; syncing stops at once.
 * Decisions: docs/connection.md, "Disconnecting".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import { contextOfUser } from "../../shared/connection/connection-events.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireDisconnect } from "../../shared/wiring/connection.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireCancelRuns } from "../../shared/wiring/sync.ts";

const route = connectionRoutes.disconnectProvider;
const disconnect = wireDisconnect({ cancelRuns: wireCancelRuns() });

export const handler = createHandler(
  route,
  ({ caller, origin }) => disconnect(contextOfUser({ caller, origin }), { requestId: origin.requestId }),
  wireHandler(route),
);
