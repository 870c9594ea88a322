/** The endpoints of the circuit breaker. Spec: integration security monitoring, "Endpoints". */
import * as z from "zod/mini";
import { CircuitTransition } from "../circuit-breaker/circuit-history.ts";
import { CircuitAction, CircuitBreakerReport, OrganizationStats } from "../circuit-breaker/circuit-schemas.ts";
import { defineRoutes, PositionById, pagesOf } from "../http/route.ts";

export const circuitBreakerRoutes = defineRoutes("circuit-breaker", {
  getCircuitBreaker: {
    method: "GET",
    path: "/api/integrations/provider/circuit-breaker",
    permission: "status:read",
    summary: "Read the circuit breaker's status and health",
    description:
      "Returns the current circuit of the organization, and sums over all organizations. Counts of requests may lag by 5 seconds. Changes nothing.",
    success: { status: 200, description: "The circuit and the health of all circuits.", body: CircuitBreakerReport },
  },
  listCircuitHistory: {
    method: "GET",
    path: "/api/integrations/provider/circuit-breaker/history",
    permission: "status:read",
    summary: "List the circuit breaker's transitions",
    description:
      "Returns the transitions of the organization's circuit within the retention period, the latest first: when, from which state to which, why, and which operator with which reason.",
    paging: pagesOf(PositionById),
    success: { status: 200, description: "A page of transitions.", body: z.array(CircuitTransition) },
  },
  changeCircuitBreaker: {
    method: "POST",
    path: "/api/integrations/provider/circuit-breaker",
    permission: "breaker:control",
    summary: "Change the circuit breaker's state",
    description:
      "`force_open` holds the organization's circuit open and `force_close` holds it closed, until `reset`, the other force or `until`. `reset` closes it and clears its window and statistics. A repeated action changes nothing and records no second event.",
    request: { body: CircuitAction },
    isIdempotent: true,
    success: { status: 200, description: "The circuit as it is now.", body: OrganizationStats },
    failures: ["idempotency_conflict"],
  },
});
