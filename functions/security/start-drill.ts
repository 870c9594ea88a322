/** POST /api/integrations/provider/security/drill: starts a fire drill of the alarms. docs/drills.md. */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireRequestDrill } from "../../shared/wiring/drills.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";

const route = securityRoutes.startDrill;
const requestDrill = wireRequestDrill();

export const handler = createHandler(
  route,
  ({ caller, origin, identity }) => requestDrill({ caller, origin, identity }),
  withAnswerOnce(wireHandler(route)),
);
