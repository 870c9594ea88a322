/**
 * GET /api/integrations/provider/security/events/{id}: one security event of the caller's organization.
 * Decisions: docs/security-events.md, "Queries".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { DomainError } from "../../shared/runtime/domain-error.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireSecurityEventStore } from "../../shared/wiring/security.ts";

const events = wireSecurityEventStore();

export const handler = createHandler(
  securityRoutes.getSecurityEvent,
  async ({ caller, params }) => {
    const event = await events.get(caller.organizationId, params.id, systemClock());
    if (event === undefined) throw new DomainError("event_not_found", "There is no such security event.");
    return event;
  },
  wireHandler(securityRoutes.getSecurityEvent),
);
