/**
 * PUT /api/integrations/provider/connection: connects the caller's organization to an account of the provider.
 * Decisions: docs/connection.md, "Connecting".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import type { Connect } from "../../shared/connection/connect.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireConnect } from "../../shared/wiring/connection.ts";
import { wireParts } from "../../shared/wiring/http.ts";

type Dependencies = { connect: Connect };

export const connectProviderHandler = ({ connect }: Dependencies, parts: HandlerParts) =>
  createHandler(
    connectionRoutes.connectProvider,
    ({ body, caller, origin }) => connect(body, { caller, origin }),
    parts,
  );

export const handler = connectProviderHandler({ connect: wireConnect() }, wireParts(connectionRoutes.connectProvider));
