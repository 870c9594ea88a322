/**
 * POST /api/integrations/provider/connection/authorize: the URL where the user grants access, and an OAuth state.
 * Decisions: docs/connection.md, "OAuth".
 */
import { connectionRoutes } from "../../shared/api/connection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireAuthorize } from "../../shared/wiring/connection.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = connectionRoutes.authorizeConnection;
const authorize = wireAuthorize();

export const handler = createHandler(route, ({ caller }) => authorize(caller), wireHandler(route));
