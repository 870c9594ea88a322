/** What is shown of circuits. Spec: GET circuit-breaker; docs/circuit-breaker.md, "Statistics". Pure. */
import * as z from "zod/mini";
import { type Circuit, type Counts, FAILURE_WINDOW_MS, RECOVERY_TIMEOUT_MS } from "./circuit.ts";
import { effectiveState, isHoldOver } from "./effective-state.ts";
import type { OpenCircuits } from "./open-circuits-store.ts";

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
      "The circuit of the caller's organization. Times are epoch milliseconds. `forced` says whether an operator " +
      "holds it, `until` for how long; `retryAt` when a refused call may come again, which nobody knows while an " +
      "operator holds it open. `totalRequests` counts the refused ones, too; `failureRate` is the share of failures " +
      "in those that were sent. `changedAt` is the last change of state, `changedBy` and `reason` an operator's.",
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
    description: "unhealthy: half of all circuits or more are open; degraded: some are not closed.",
  });
export type OverallHealth = z.output<typeof OverallHealth>;

/** Failures among the requests that were sent; 0 where none was. */
const failureRate = ({ total, failed, rejected }: Counts): number => {
  const sent = total - rejected;
  return sent <= 0 ? 0 : Math.min(1, failed / sent);
};

/** A reset and a count that crosses it may meet in either order; nothing is shown below zero. */
const shown = ({ total, failed, rejected }: Counts) => ({
  totalRequests: Math.max(0, total),
  failedRequests: Math.max(0, failed),
  rejectedRequests: Math.max(0, rejected),
});

const sinceReset = ({ baseline }: Circuit, counts: Counts): Counts => ({
  total: counts.total - baseline.total,
  failed: counts.failed - baseline.failed,
  rejected: counts.rejected - baseline.rejected,
});

const openedAtOf = (circuit: Circuit, changedAt: number | null): number | null => {
  if (circuit.state === "forced_open") return changedAt;
  return circuit.state === "open" || circuit.state === "half_open" ? circuit.until - RECOVERY_TIMEOUT_MS : null;
};

/** @param counts the organization's since the beginning; what its last reset left behind is taken off here. */
export const organizationStats = (
  organizationId: string,
  circuit: Circuit,
  counts: Counts,
  now: number,
): OrganizationStats => {
  const effective = effectiveState(circuit, now);
  const isHeld = effective.state !== "half_open" && effective.held;
  const start = circuit.starts.at(-1);
  // A hold that is over ended at its own time, by itself; the write that says so may come much later.
  const holdEndedAt = isHoldOver(circuit, now) && "until" in circuit ? circuit.until : undefined;
  const change = holdEndedAt === undefined ? start : { at: holdEndedAt };
  const own = sinceReset(circuit, counts);
  const inWindow = circuit.state === "closed" ? circuit.failures.filter(({ at }) => at > now - FAILURE_WINDOW_MS) : [];
  return {
    organizationId,
    state: effective.state,
    forced: isHeld,
    failuresInWindow: inWindow.length,
    consecutiveSuccesses: circuit.state === "half_open" ? circuit.successes : 0,
    ...shown(own),
    failureRate: failureRate(own),
    lastFailureAt: circuit.lastFailureAt ?? null,
    openedAt: effective.state === "closed" ? null : openedAtOf(circuit, start?.at ?? null),
    retryAt: effective.state === "closed" ? null : (effective.retryAt ?? null),
    until: isHeld && "until" in circuit ? (circuit.until ?? null) : null,
    changedAt: change?.at ?? null,
    changedBy: (change && "by" in change ? change.by : undefined) ?? null,
    reason: (change && "reason" in change ? change.reason : undefined) ?? null,
  };
};

/**
 * All organizations are those with a connection, and those without one whose circuit is not closed.
 * @param connected organizations with a connection.
 */
export const globalStats = (
  connected: number,
  { open, halfOpen, unconnected }: OpenCircuits,
  counts: Counts,
): GlobalStats => {
  // The figures are read side by side: one may know of an organization that the other does not know of yet.
  const organizations = Math.max(connected + unconnected, open + halfOpen);
  return { organizations, closed: organizations - open - halfOpen, open, halfOpen, ...shown(counts) };
};

/** Decisions: half or more open is a failure of the whole system. */
export const overallHealth = ({ organizations, open, halfOpen }: GlobalStats, counts: Counts): OverallHealth => ({
  status: open > 0 && open * 2 >= organizations ? "unhealthy" : open + halfOpen > 0 ? "degraded" : "healthy",
  openCircuits: open,
  totalRequests: Math.max(0, counts.total),
  failureRate: failureRate(counts),
});
