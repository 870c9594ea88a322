import { answer, api } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { CircuitBreakerReport } from "../../api/types.ts";

export const useCircuit = (everyMs: number): Resource<CircuitBreakerReport> =>
  useResource("circuit", (signal) => answer(api.GET("/api/integrations/provider/circuit-breaker", { signal })), {
    everyMs,
  });
