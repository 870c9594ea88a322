/** What GET circuit-breaker returns. Spec: GET circuit-breaker; docs/circuit-breaker.md, "Statistics". */
import type { Clock } from "../runtime/clock.ts";
import type { Announcer } from "./announce.ts";
import {
  type Circuit,
  type Counts,
  effectiveState,
  FAILURE_WINDOW_MS,
  isHoldOver,
  minus,
  RECOVERY_TIMEOUT_MS,
} from "./circuit.ts";
import type { CircuitBreakerReport, GlobalStats, OrganizationStats, OverallHealth } from "./circuit-schemas.ts";
import type { CircuitStore, OpenCircuits } from "./circuit-store.ts";
import type { StatisticsStore } from "./statistics-store.ts";

/** Failed requests divided by sent requests; 0 if nothing was sent. */
const failureRate = ({ total, failed, rejected }: Counts): number => {
  const sent = total - rejected;
  return sent <= 0 ? 0 : Math.min(1, failed / sent);
};

/** Counts that arrive around a reset can make the difference negative: report at least zero. */
const requestsOf = ({ total, failed, rejected }: Counts) => ({
  totalRequests: Math.max(0, total),
  failedRequests: Math.max(0, failed),
  rejectedRequests: Math.max(0, rejected),
});

const openedAtOf = (circuit: Circuit, changedAt: number | null): number | null => {
  if (circuit.state === "forced_open") return changedAt;
  return circuit.state === "open" || circuit.state === "half_open" ? circuit.until - RECOVERY_TIMEOUT_MS : null;
};

/** @param counts the organization's counts since the first request; the counts at the last reset are subtracted here. */
export const organizationStats = (
  organizationId: string,
  circuit: Circuit,
  counts: Counts,
  now: number,
): OrganizationStats => {
  const effective = effectiveState(circuit, now);
  const isHeld = effective.state !== "half_open" && effective.held;
  const start = circuit.starts.at(-1);
  // The hold ended at `until`; the write that ends it in the item may come much later.
  const holdEndedAt = isHoldOver(circuit, now) && "until" in circuit ? circuit.until : undefined;
  const operators = holdEndedAt === undefined ? start : undefined;
  const own = minus(counts, circuit.baseline);
  const inWindow = circuit.state === "closed" ? circuit.failures.filter(({ at }) => at > now - FAILURE_WINDOW_MS) : [];
  return {
    organizationId,
    state: effective.state,
    forced: isHeld,
    failuresInWindow: inWindow.length,
    consecutiveSuccesses: circuit.state === "half_open" ? circuit.successes : 0,
    ...requestsOf(own),
    failureRate: failureRate(own),
    lastFailureAt: circuit.lastFailureAt ?? null,
    openedAt: effective.state === "closed" ? null : openedAtOf(circuit, start?.at ?? null),
    retryAt: effective.state === "closed" ? null : (effective.retryAt ?? null),
    until: isHeld && "until" in circuit ? (circuit.until ?? null) : null,
    changedAt: holdEndedAt ?? start?.at ?? null,
    changedBy: operators?.by ?? null,
    reason: operators?.reason ?? null,
  };
};

/**
 * Counts organizations with a connection, and organizations without one whose circuit is not closed.
 * @param connected organizations with a connection.
 */
export const globalStats = (
  connected: number,
  { open, halfOpen, unconnected }: OpenCircuits,
  counts: Counts,
): GlobalStats => {
  // The two figures come from separate reads, so the number of circuits may be ahead of the number of connections.
  const organizations = Math.max(connected + unconnected, open + halfOpen);
  return { organizations, closed: organizations - open - halfOpen, open, halfOpen, ...requestsOf(counts) };
};

/** Decisions: half or more open circuits are a failure of the whole system. */
const overallHealth = ({ organizations, open, halfOpen }: GlobalStats, counts: Counts): OverallHealth => ({
  status: open > 0 && open * 2 >= organizations ? "unhealthy" : open + halfOpen > 0 ? "degraded" : "healthy",
  openCircuits: open,
  totalRequests: Math.max(0, counts.total),
  failureRate: failureRate(counts),
});

/** Reads what GET circuit-breaker returns, without a scan. `connectedOrganizations`: organizations with a connection. */
export const createStatisticsReader = (dependencies: {
  store: Pick<CircuitStore, "read" | "countOpen">;
  statisticsStore: Pick<StatisticsStore, "organizationCounts" | "globalCounts">;
  announcer: Pick<Announcer, "announceOverdue">;
  connectedOrganizations: () => Promise<number>;
  clock: Clock;
}) => {
  const { store, statisticsStore, announcer, connectedOrganizations, clock } = dependencies;

  /** The organization's circuit, read strongly consistent, and its counts: two read units. */
  const readOrganization = async (organizationId: string): Promise<OrganizationStats> => {
    const [circuit, counts] = await Promise.all([
      store.read(organizationId),
      statisticsStore.organizationCounts(organizationId, { mayLag: true }),
    ]);
    announcer.announceOverdue(organizationId, circuit);
    return organizationStats(organizationId, circuit, counts, clock());
  };

  return {
    readOrganization,

    /** @throws DomainError `store_unavailable`. */
    async read(organizationId: string): Promise<CircuitBreakerReport> {
      const [own, open, counts, connected] = await Promise.all([
        readOrganization(organizationId),
        store.countOpen(clock()),
        statisticsStore.globalCounts(),
        connectedOrganizations(),
      ]);
      const all = globalStats(connected, open, counts);
      return { organizationStats: own, globalStats: all, overallHealth: overallHealth(all, counts) };
    },
  };
};
