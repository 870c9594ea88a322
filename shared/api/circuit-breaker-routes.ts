/** The endpoints of the circuit breaker. Spec: integration security monitoring, "Endpoints". */
import * as z from "zod/mini";
import { CircuitTransition } from "../circuit-breaker/circuit-history.ts";
import { CircuitAction, CircuitBreakerReport, OrganizationStats } from "../circuit-breaker/circuit-schemas.ts";
import { defineRoute, type Route } from "../http/route.ts";

export const circuitBreakerRoutes = {
  getCircuitBreaker: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/circuit-breaker",
    permission: "status:read",
    tag: "circuit-breaker",
    summary: "Read the circuit breaker's status and health",
    description:
      "Returns the current circuit of the organization, and sums over all organizations. Counts of requests may lag by 5 seconds. Changes nothing.",
    request: {},
    success: { status: 200, description: "The circuit and the health of all circuits.", body: CircuitBreakerReport },
    failures: [],
  }),
  listCircuitHistory: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/circuit-breaker/history",
    permission: "status:read",
    tag: "circuit-breaker",
    summary: "List the circuit breaker's transitions",
    description:
      "Returns the transitions of the organization's circuit within the retention period, the latest first: when, from which state to which, why, and which operator with which reason.",
    request: {},
    paging: { defaultLimit: 50, maxLimit: 1000, position: z.object({ id: z.string() }) },
    success: { status: 200, description: "A page of transitions.", body: z.array(CircuitTransition) },
    failures: [],
  }),
  changeCircuitBreaker: defineRoute({
    method: "POST",
    path: "/api/integrations/provider/circuit-breaker",
    permission: "breaker:control",
    tag: "circuit-breaker",
    summary: "Change the circuit breaker's state",
    description:
      "`force_open` holds the organization's circuit open and `force_close` holds it closed, until `reset`, the other force or `until`. `reset` closes it and clears its window and statistics. A repeated action changes nothing and records no second event.",
    request: { body: CircuitAction },
    isIdempotent: true,
    success: { status: 200, description: "The circuit as it is now.", body: OrganizationStats },
    failures: ["idempotency_conflict"],
  }),
} as const satisfies Record<string, Route>;
