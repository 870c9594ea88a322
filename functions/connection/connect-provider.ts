/**
 * PUT /api/integrations/provider/connection: connects the caller's organization to an account of the provider.
 * Decisions: docs/connection.md, "Connecting".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireConnect } from "../../shared/wiring/connection.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = connectionRoutes.connectProvider;
const connect = wireConnect();

export const handler = createHandler(
  route,
  ({ body, caller, origin }) => connect(body, { caller, origin }),
  wireHandler(route),
);
