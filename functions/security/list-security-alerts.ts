/**
 * GET /api/integrations/provider/security/alert: the alerts of the caller's organization, newest first.
 * Decisions: docs/security-events.md, "Alerts and their events"; docs/rules.md, "Mutes".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireListMutedAlerts } from "../../shared/wiring/muted-alerts.ts";
import { wireAlertStore } from "../../shared/wiring/security.ts";

const alerts = wireAlertStore();
const listMuted = wireListMutedAlerts();

export const handler = createHandler(
  securityRoutes.listSecurityAlerts,
  ({ caller: { organizationId }, query: { mutedBy, ...filter }, page }) =>
    listMuted(organizationId, { ...page, mutedBy }, (paging) =>
      alerts.list(organizationId, { ...filter, ...paging, now: systemClock() }),
    ),
  wireHandler(securityRoutes.listSecurityAlerts),
);
