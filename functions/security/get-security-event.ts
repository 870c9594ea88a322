/**
 * GET /api/integrations/provider/security/events/{id}: one security event of the caller's organization.
 * Decisions: docs/security-events.md, "Queries".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireSecurityEventStore } from "../../shared/wiring/security.ts";

const events = wireSecurityEventStore();

export const handler = createHandler(
  securityRoutes.getSecurityEvent,
  ({ caller, params }) => events.get(caller.organizationId, params.id, systemClock()),
  wireHandler(securityRoutes.getSecurityEvent),
);
