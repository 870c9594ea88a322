/**
 * GET /api/integrations/provider/connection: the connection of the caller's organization, without its credentials.
 * Decisions: docs/connection.md.
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import type { ShowConnection } from "../../shared/connection/view-connection.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireShowConnection } from "../../shared/wiring/connection.ts";
import { wireParts } from "../../shared/wiring/http.ts";

type Dependencies = { show: ShowConnection };

export const getConnectionHandler = ({ show }: Dependencies, parts: HandlerParts) =>
  createHandler(connectionRoutes.getConnection, ({ caller }) => show(caller.organizationId), parts);

export const handler = getConnectionHandler({ show: wireShowConnection() }, wireParts(connectionRoutes.getConnection));
