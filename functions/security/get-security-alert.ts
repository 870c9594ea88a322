/**
 * GET /api/integrations/provider/security/alert/{id}: one alert of the caller's organization, with its history.
 * Decisions: docs/security-events.md, "Alerts and their events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { DomainError } from "../../shared/runtime/domain-error.ts";
import { withHistory } from "../../shared/security/alerts/alert-history.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireAlertStore } from "../../shared/wiring/security.ts";

const alerts = wireAlertStore();

export const handler = createHandler(
  securityRoutes.getSecurityAlert,
  async ({ caller, params }) => {
    const alert = await alerts.get(caller.organizationId, params.id, systemClock());
    if (alert === undefined) throw new DomainError("alert_not_found", "There is no such alert.");
    return withHistory(alert);
  },
  wireHandler(securityRoutes.getSecurityAlert),
);
