/** GET /api/integrations/provider/security/drill/{id}: how far a fire drill came. docs/drills.md. */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireReadDrill } from "../../shared/wiring/drills.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = securityRoutes.getDrill;
const readDrill = wireReadDrill();

export const handler = createHandler(
  route,
  ({ params, caller }) => readDrill(caller.organizationId, params.id),
  wireHandler(route),
);
