/** Everything that GET circuit-breaker shows, read without a scan and without a write. */
import type { Clock } from "../runtime/clock.ts";
import type { Announcer } from "./announce.ts";
import {
  type GlobalStats,
  globalStats,
  type OrganizationStats,
  type OverallHealth,
  organizationStats,
  overallHealth,
} from "./circuit-statistics.ts";
import type { CircuitStore } from "./circuit-store.ts";
import type { StatisticsStore } from "./statistics-store.ts";

export type CircuitBreakerStatistics = {
  organizationStats: OrganizationStats;
  globalStats: GlobalStats;
  overallHealth: OverallHealth;
};

export type StatisticsReader = ReturnType<typeof createStatisticsReader>;

/** `connectedOrganizations`: how many organizations have a connection to the provider. */
export const createStatisticsReader = (dependencies: {
  store: Pick<CircuitStore, "read" | "countOpen">;
  statisticsStore: Pick<StatisticsStore, "organizationCounts" | "globalCounts">;
  announcer: Pick<Announcer, "announceOverdue">;
  connectedOrganizations: () => Promise<number>;
  clock: Clock;
}) => {
  const { store, statisticsStore, announcer, connectedOrganizations, clock } = dependencies;

  /** The organization's own circuit, exact, and its counts: two read units. A transition that nobody told of is told. */
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
    async read(organizationId: string): Promise<CircuitBreakerStatistics> {
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
