/**
 * POST /api/integrations/provider/circuit-breaker: an operator holds the organization's circuit open or closed, or
 * resets it. Spec: "POST …/circuit-breaker"; what each action does: docs/circuit-breaker.md, "Operators".
 */
import { circuitBreakerRoutes } from "../../shared/api/circuit-breaker-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireChangeCircuit } from "../../shared/wiring/circuit-breaker.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";

const route = circuitBreakerRoutes.changeCircuitBreaker;
const change = wireChangeCircuit();

export const handler = createHandler(
  route,
  ({ body, caller, origin, identity }) => change(body, { caller, origin, identity }),
  withAnswerOnce(wireHandler(route)),
);
