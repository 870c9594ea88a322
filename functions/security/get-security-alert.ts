/**
 * GET /api/integrations/provider/security/alert/{id}: one alert of the caller's organization, with its history.
 * Decisions: docs/security-events.md, "Alerts and their events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { readAlertWithHistory } from "../../shared/security/alerts/alert-history.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireAlertNotes, wireAlertStore } from "../../shared/wiring/security.ts";

const stores = { alerts: wireAlertStore(), notes: wireAlertNotes() };

export const handler = createHandler(
  securityRoutes.getSecurityAlert,
  ({ caller, params }) => readAlertWithHistory(stores, caller.organizationId, params.id, systemClock()),
  wireHandler(securityRoutes.getSecurityAlert),
);
