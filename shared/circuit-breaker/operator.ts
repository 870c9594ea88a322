/** What operators do to a circuit. Spec: POST circuit-breaker; docs/circuit-breaker.md, "Operators". */
import type { Clock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import type { Announcer } from "./announce.ts";
import { type Circuit, noCounts, type OperatorAction } from "./circuit.ts";
import type { CircuitStore } from "./circuit-store.ts";
import { isDone } from "./operate.ts";
import type { Statistics } from "./statistics.ts";
import type { StatisticsStore } from "./statistics-store.ts";

/** `until` in epoch ms: the hold ends by itself then. A reset takes none. */
export type OperatorCommand = { action: OperatorAction; by: string; reason?: string; until?: number };

export type Operator = ReturnType<typeof createOperator>;

export const createOperator = (dependencies: {
  store: Pick<CircuitStore, "read" | "operate" | "forget">;
  statisticsStore: Pick<StatisticsStore, "organizationCounts">;
  statistics: Pick<Statistics, "takeFromGlobal" | "flush">;
  announcer: Pick<Announcer, "announce" | "settle">;
  clock: Clock;
}) => {
  const { store, statisticsStore, statistics, announcer, clock } = dependencies;

  return {
    /**
     * Carries out a command, whatever else happens to the circuit at the time; the last one wins. A command that is
     * in force already changes nothing. Resolves after the transition was announced.
     * @throws DomainError `store_unavailable`. The command may then be in force or not; it can be given again.
     */
    async operate(organizationId: string, command: OperatorCommand): Promise<Circuit> {
      // What this instance has counted belongs before the command.
      await statistics.flush();
      const circuit = await store.read(organizationId);
      const counts = command.action === "reset" ? await statisticsStore.organizationCounts(organizationId) : noCounts;
      const write = { ...command, at: clock(), id: newRequestToken(), baseline: counts };
      if (isDone(circuit, write, counts)) return circuit;
      const { before, after } = await store.operate(organizationId, write);
      if (before && command.action === "reset") {
        statistics.takeFromGlobal({
          total: counts.total - before.baseline.total,
          failed: counts.failed - before.baseline.failed,
          rejected: counts.rejected - before.baseline.rejected,
        });
      }
      announcer.announce(organizationId, after);
      await Promise.all([announcer.settle(), statistics.flush()]);
      return after;
    },

    /** Removes a user from who changed the circuit, and the reasons that user gave. The circuit stays as it is. */
    async forgetOperator(organizationId: string, userId: string): Promise<void> {
      for (;;) {
        const circuit = await store.read(organizationId);
        if (!circuit.starts.some(({ by }) => by === userId)) return;
        const { applied } = await store.forget(organizationId, circuit, userId);
        if (applied) return;
      }
    },
  };
};
