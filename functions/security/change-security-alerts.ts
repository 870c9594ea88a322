/**
 * POST /api/integrations/provider/security/alert: marks events as processed; generates, acknowledges, resolves alerts.
 * Spec: "POST …/security/alert"; the actions and their answers: docs/security-events.md, "Alerts and their events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import type { AlertActions } from "../../shared/security/monitoring/alert-actions.ts";
import { wireParts } from "../../shared/wiring/http.ts";
import { wireAlertActions } from "../../shared/wiring/security.ts";

type Dependencies = { act: AlertActions };

export const changeSecurityAlertsHandler = ({ act }: Dependencies, parts: HandlerParts) =>
  createHandler(
    securityRoutes.changeSecurityAlerts,
    ({ body, caller, origin }) => act(body, { caller, origin }),
    parts,
  );

export const handler = changeSecurityAlertsHandler(
  { act: wireAlertActions() },
  wireParts(securityRoutes.changeSecurityAlerts),
);
