/**
 * POST /api/integrations/provider/connection/authorize: where the user grants access, and the state that comes back.
 * Decisions: docs/connection.md, "OAuth".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import type { Authorize } from "../../shared/connection/authorize.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireAuthorize } from "../../shared/wiring/connection.ts";
import { wireParts } from "../../shared/wiring/http.ts";

type Dependencies = { authorize: Authorize };

export const authorizeConnectionHandler = ({ authorize }: Dependencies, parts: HandlerParts) =>
  createHandler(connectionRoutes.authorizeConnection, ({ caller }) => authorize(caller), parts);

export const handler = authorizeConnectionHandler(
  { authorize: wireAuthorize() },
  wireParts(connectionRoutes.authorizeConnection),
);
