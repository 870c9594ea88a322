/**
 * GET /api/integrations/provider/circuit-breaker: the organization's circuit, and the health of all.
 * Spec: "GET …/circuit-breaker"; fields: docs/circuit-breaker.md, "Statistics".
 */
import { circuitBreakerRoutes } from "../../shared/api/circuit-breaker-routes.ts";
import type { StatisticsReader } from "../../shared/circuit-breaker/read-statistics.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireStatisticsReader } from "../../shared/wiring/circuit-breaker.ts";
import { wireParts } from "../../shared/wiring/http.ts";

type Dependencies = { statistics: Pick<StatisticsReader, "read"> };

export const getCircuitBreakerHandler = ({ statistics }: Dependencies, parts: HandlerParts) =>
  createHandler(circuitBreakerRoutes.getCircuitBreaker, ({ caller }) => statistics.read(caller.organizationId), parts);

export const handler = getCircuitBreakerHandler(
  { statistics: wireStatisticsReader() },
  wireParts(circuitBreakerRoutes.getCircuitBreaker),
);
