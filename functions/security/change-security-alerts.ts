/**
 * POST /api/integrations/provider/security/alert: marks events as processed; generates, acknowledges, assigns, resolves,
 * reopens alerts and comments on them.
 * Spec: "POST …/security/alert"; the actions and their answers: docs/security-events.md, "Alerts and their events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireAlertActions } from "../../shared/wiring/security.ts";

const act = wireAlertActions();

export const handler = createHandler(
  securityRoutes.changeSecurityAlerts,
  ({ body, caller, origin, identity }) => act(body, { caller, origin, identity }),
  withAnswerOnce(wireHandler(securityRoutes.changeSecurityAlerts)),
);
