/**
 * GET /api/integrations/provider/security/alert: the alerts of the caller's organization, newest first.
 * Decisions: docs/security-events.md, "Alerts and their events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireAlertStore } from "../../shared/wiring/security.ts";

const alerts = wireAlertStore();

export const handler = createHandler(
  securityRoutes.listSecurityAlerts,
  ({ caller, query, page }) => alerts.list(caller.organizationId, { ...query, ...page, now: systemClock() }),
  wireHandler(securityRoutes.listSecurityAlerts),
);
