/**
 * POST /api/integrations/provider/circuit-breaker: an operator holds the organization's circuit, or resets it.
 * Spec: "POST …/circuit-breaker"; what each action does: docs/circuit-breaker.md, "Operators".
 */
import { circuitBreakerRoutes } from "../../shared/api/circuit-breaker-routes.ts";
import type { ChangeCircuit } from "../../shared/circuit-breaker/change-circuit.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireChangeCircuit } from "../../shared/wiring/circuit-breaker.ts";
import { wireParts } from "../../shared/wiring/http.ts";

type Dependencies = { change: ChangeCircuit };

export const changeCircuitBreakerHandler = ({ change }: Dependencies, parts: HandlerParts) =>
  createHandler(
    circuitBreakerRoutes.changeCircuitBreaker,
    ({ body, caller, origin }) => change(body, { caller, origin }),
    parts,
  );

export const handler = changeCircuitBreakerHandler(
  { change: wireChangeCircuit() },
  wireParts(circuitBreakerRoutes.changeCircuitBreaker),
);
