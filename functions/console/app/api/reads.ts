/** Reads that several views share: they have the same key, so each view shows the last answer at once. */
import { answer, api } from "./client.ts";
import { type Resource, useResource } from "./resource.ts";
import type { CircuitBreakerReport, Connection } from "./types.ts";

/** @param everyMs undefined: it is read once */
export const useConnection = (everyMs?: number): Resource<Connection> =>
  useResource(
    "connection",
    (signal) => answer(api.GET("/api/integrations/provider/connection", { signal })),
    everyMs === undefined ? {} : { everyMs },
  );

export const useCircuit = (everyMs: number): Resource<CircuitBreakerReport> =>
  useResource("circuit", (signal) => answer(api.GET("/api/integrations/provider/circuit-breaker", { signal })), {
    everyMs,
  });
