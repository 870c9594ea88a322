/** What POST circuit-breaker accepts, and what GET returns. Spec: "Endpoints". Pure. */
import * as z from "zod/mini";
import { text } from "../json/text.ts";
import { operatorActions } from "./circuit.ts";

export const REASON_MAX_CHARACTERS = 512;
const ACTION_EXPECTED = `expected one of ${operatorActions.join(", ")}`;
const UNTIL_EXPECTED = "expected epoch milliseconds";
const RESET_HAS_NO_UNTIL = { error: "expected with force_open and force_close only", path: ["until"] };
/** The largest time of a Date. */
const MAX_TIME_MS = 8_640_000_000_000_000;

const until = z
  .pipe(
    z
      .bigint({ error: UNTIL_EXPECTED })
      .check(z.gte(0n, { error: UNTIL_EXPECTED }), z.lte(BigInt(MAX_TIME_MS), { error: UNTIL_EXPECTED })),
    z.transform((time: bigint) => Number(time)),
  )
  .register(z.globalRegistry, {
    description: "When the hold ends, in epoch milliseconds; in the future. A reset must not have it.",
    override: { type: "integer", minimum: 0, maximum: MAX_TIME_MS },
  });

export const CircuitAction = z
  .object({
    action: z.enum(operatorActions, { error: ACTION_EXPECTED }),
    reason: z.optional(text(1, REASON_MAX_CHARACTERS, "Why the operator acts.")),
    until: z.optional(until),
  })
  .check(z.refine(({ action, until }) => action !== "reset" || until === undefined, RESET_HAS_NO_UNTIL))
  .register(z.globalRegistry, {
    id: "CircuitAction",
    description: "Holds the circuit open or closed, or resets it to closed.",
    // The rule above, in the words of JSON Schema.
    override: { not: { required: ["until"], properties: { action: { const: "reset" }, until: {} } } },
  });
export type CircuitAction = z.output<typeof CircuitAction>;

const count = z.int().check(z.nonnegative());
const time = z.nullable(z.int());
const rate = z.number().check(z.minimum(0), z.maximum(1));

const requests = { totalRequests: count, failedRequests: count, rejectedRequests: count };

export const OrganizationStats = z
  .object({
    organizationId: z.string(),
    state: z.enum(["closed", "open", "half_open"]),
    forced: z.boolean(),
    failuresInWindow: count,
    consecutiveSuccesses: count,
    ...requests,
    failureRate: rate,
    lastFailureAt: time,
    openedAt: time,
    retryAt: time,
    until: time,
    changedAt: time,
    changedBy: z.nullable(z.string()),
    reason: z.nullable(z.string()),
  })
  .register(z.globalRegistry, {
    id: "OrganizationStats",
    description:
      "The circuit of the caller's organization. Times are epoch milliseconds. `forced`: an operator holds the circuit, " +
      "`until` then (null: until the next action). `retryAt`: when a refused call may come again; null while an operator " +
      "holds the circuit open. `totalRequests` includes `rejectedRequests`; `failureRate` is failed requests divided by " +
      "sent requests. `changedAt`: the last change of state; `changedBy` and `reason` if an operator made it.",
  });
export type OrganizationStats = z.output<typeof OrganizationStats>;

export const GlobalStats = z
  .object({ organizations: count, closed: count, open: count, halfOpen: count, ...requests })
  .register(z.globalRegistry, { id: "GlobalStats", description: "Sums over all organizations." });
export type GlobalStats = z.output<typeof GlobalStats>;

export const OverallHealth = z
  .object({
    status: z.enum(["healthy", "degraded", "unhealthy"]),
    openCircuits: count,
    totalRequests: count,
    failureRate: rate,
  })
  .register(z.globalRegistry, {
    id: "OverallHealth",
    description: "unhealthy: half of all circuits or more are open; degraded: at least one is not closed.",
  });
export type OverallHealth = z.output<typeof OverallHealth>;

export const CircuitBreakerReport = z
  .object({ organizationStats: OrganizationStats, globalStats: GlobalStats, overallHealth: OverallHealth })
  .register(z.globalRegistry, {
    id: "CircuitBreakerReport",
    description: "The circuit of the caller's organization, and sums over all organizations.",
  });
export type CircuitBreakerReport = z.output<typeof CircuitBreakerReport>;
