/**
 * GET /api/integrations/provider/security/alert: the alerts of the caller's organization, newest first.
 * Decisions: docs/security-events.md, "Alerts and their events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { type Clock, systemClock } from "../../shared/runtime/clock.ts";
import type { AlertStore } from "../../shared/security/alerts/alert-store.ts";
import { wireParts } from "../../shared/wiring/http.ts";
import { wireAlertStore } from "../../shared/wiring/security.ts";

type Dependencies = { alerts: Pick<AlertStore, "list">; now: Clock };

export const listSecurityAlertsHandler = ({ alerts, now }: Dependencies, parts: HandlerParts) =>
  createHandler(
    securityRoutes.listSecurityAlerts,
    ({ caller, query, page }) => alerts.list(caller.organizationId, { status: query.status, ...page, now: now() }),
    parts,
  );

export const handler = listSecurityAlertsHandler(
  { alerts: wireAlertStore(), now: systemClock },
  wireParts(securityRoutes.listSecurityAlerts),
);
