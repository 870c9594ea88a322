/**
 * GET /api/integrations/provider/security/alert/{id}: one alert of the caller's organization, with its history.
 * Decisions: docs/security-events.md, "Alerts and their events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { readAlertWithHistory } from "../../shared/security/alerts/alert-history.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireWithMutes } from "../../shared/wiring/muted-alerts.ts";
import { wireAlertNotes, wireAlertStore } from "../../shared/wiring/security.ts";

const withMutes = wireWithMutes();
const stores = { alerts: wireAlertStore(), notes: wireAlertNotes() };

export const handler = createHandler(
  securityRoutes.getSecurityAlert,
  async ({ caller: { organizationId }, params }) => {
    const alert = await readAlertWithHistory(stores, organizationId, params.id, systemClock());
    const [shown = alert] = await withMutes(organizationId, [alert]);
    return shown;
  },
  wireHandler(securityRoutes.getSecurityAlert),
);
