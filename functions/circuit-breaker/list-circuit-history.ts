/**
 * GET /api/integrations/provider/circuit-breaker/history: the transitions of the organization's circuit, newest first.
 * Decisions: docs/circuit-breaker.md, "History".
 */
import { circuitBreakerRoutes } from "../../shared/api/circuit-breaker-routes.ts";
import { transitionOf } from "../../shared/circuit-breaker/circuit-history.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireSecurityEventStore } from "../../shared/wiring/security.ts";

const route = circuitBreakerRoutes.listCircuitHistory;
const events = wireSecurityEventStore();

export const handler = createHandler(
  route,
  async ({ caller: { organizationId }, page: { limit, after } }) => {
    const selection = { organizationId, since: 0, eventType: "CIRCUIT_BREAKER_CHANGED" };
    const found = await events.list(selection, { limit, after: after?.id, now: systemClock() });
    return {
      items: found.events.map(transitionOf),
      next: found.next === undefined ? undefined : { id: found.next },
    };
  },
  wireHandler(route),
);
