/**
 * GET /api/integrations/provider/circuit-breaker: the circuit of the caller's organization, and the health of all.
 * Spec: "GET …/circuit-breaker"; fields: docs/circuit-breaker.md, "Statistics".
 */
import { circuitBreakerRoutes } from "../../shared/api/circuit-breaker-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireStatisticsReader } from "../../shared/wiring/circuit-breaker.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = circuitBreakerRoutes.getCircuitBreaker;
const statistics = wireStatisticsReader();

export const handler = createHandler(route, ({ caller }) => statistics.read(caller.organizationId), wireHandler(route));
