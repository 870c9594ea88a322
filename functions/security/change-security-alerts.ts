/**
 * POST /api/integrations/provider/security/alert: marks events as processed; generates, acknowledges, assigns, resolves,
 * reopens alerts and comments on them.
 * Spec: "POST …/security/alert"; the actions and their answers: docs/security-events.md, "Alerts and their events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireWithMutes } from "../../shared/wiring/muted-alerts.ts";
import { wireAlertActions } from "../../shared/wiring/security.ts";

const act = wireAlertActions();
const withMutes = wireWithMutes();

export const handler = createHandler(
  securityRoutes.changeSecurityAlerts,
  async ({ body, caller, origin, identity }) => {
    const result = await act(body, { caller, origin, identity });
    if (result.action !== "generate_alert") return result;
    const [alert = result.alert] = await withMutes(caller.organizationId, [result.alert]);
    return { ...result, alert };
  },
  withAnswerOnce(wireHandler(securityRoutes.changeSecurityAlerts)),
);
