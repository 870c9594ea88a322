/**
 * GET /api/integrations/provider/security/events/{id}: one security event of the caller's organization, and its alert.
 * Decisions: docs/security-events.md, "Queries".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireAlertStore, wireSecurityEventStore } from "../../shared/wiring/security.ts";

const events = wireSecurityEventStore();
const alerts = wireAlertStore();

export const handler = createHandler(
  securityRoutes.getSecurityEvent,
  async ({ caller: { organizationId }, params }) => {
    const now = systemClock();
    const event = await events.get(organizationId, params.id, now);
    const alert = event.alertGenerated ? await alerts.getRaisedBy(organizationId, event, now) : undefined;
    return { ...event, ...(alert && { alertId: alert.id }) };
  },
  wireHandler(securityRoutes.getSecurityEvent),
);
