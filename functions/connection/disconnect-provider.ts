/**
 * DELETE /api/integrations/provider/connection: disconnects the caller's organization; syncing stops at once.
 * Decisions: docs/connection.md, "Disconnecting".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import { contextOfUser } from "../../shared/connection/connection-events.ts";
import type { Disconnect } from "../../shared/connection/disconnect.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireDisconnect } from "../../shared/wiring/connection.ts";
import { wireParts } from "../../shared/wiring/http.ts";
import { wireCancelRuns } from "../../shared/wiring/sync.ts";

type Dependencies = { disconnect: Disconnect };

export const disconnectProviderHandler = ({ disconnect }: Dependencies, parts: HandlerParts) =>
  createHandler(
    connectionRoutes.disconnectProvider,
    ({ caller, origin }) => disconnect(contextOfUser({ caller, origin }), { requestId: origin.requestId }),
    parts,
  );

export const handler = disconnectProviderHandler(
  { disconnect: wireDisconnect({ cancelRuns: wireCancelRuns() }) },
  wireParts(connectionRoutes.disconnectProvider),
);
