/** What detection reads about an organization's sync runs and connection. */

import * as z from "zod/mini";
import { type Circuit, effectiveState, isHoldOver } from "../circuit-breaker/circuit.ts";
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { queryPages } from "../runtime/table-query.ts";
import { firstIdAt } from "../security/event-id.ts";
import { runKey, stateKey } from "../sync/sync-item.ts";
import { SyncRun } from "../sync/sync-run.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { organizationIdOf } from "../terms/keys.ts";
import { BASELINE_DAYS, type Baseline, noBaseline } from "./evidence/baseline.ts";
import { type ConnectionFact, type RunFact, runBaselineOf } from "./evidence/syncing.ts";
import type { Hour } from "./evidence/windows.ts";
import type { RuleInput } from "./rules/rule.ts";
import { silentIntervals } from "./rules/rules.ts";

const RunItem = z.pick(SyncRun, { id: true, trigger: true, status: true, startedAt: true, finishedAt: true });
const StateItem = z.object({ scope: z.string(), lastSuccessAt: z.optional(z.number()) });

const toFact = ({ finishedAt, ...run }: z.output<typeof RunItem>): RunFact => ({
  ...run,
  ...definedFields({ finishedAt }),
});

export type SyncFactsStore = ReturnType<typeof createSyncFactsStore>;

/** Reads the table of runs (shared/sync/sync-item.ts); may lag by a second. Both calls throw DomainError `store_unavailable`. */
export const createSyncFactsStore = (table: Table<"syncRuns">) => ({
  /** The ended runs that started from `from` (inclusive) to `to` (exclusive), epoch ms, in order. Half a read unit per 4 KB. */
  async endedRuns(organizationId: string, { from, to }: { from: number; to: number }): Promise<RunFact[]> {
    const { scope, key: first } = runKey(organizationId, firstIdAt(from));
    const { key: last } = runKey(organizationId, firstIdAt(to));
    const pages = queryPages(table, {
      where: "#scope = :scope AND #key BETWEEN :first AND :last",
      values: { scope, first, last },
      attributes: Object.keys(RunItem.shape),
    });
    const runs: RunFact[] = [];
    for await (const page of pages) runs.push(...page.map((item) => toFact(RunItem.parse(item))));
    return runs;
  },

  /** The end of each organization's last succeeded run, epoch ms; organizations without one are left out. Half a read unit per 4 KB each. */
  async lastSuccesses(organizationIds: readonly string[]): Promise<Map<string, number>> {
    const { items } = await getItems(table, organizationIds.map(stateKey), { attributes: ["scope", "lastSuccessAt"] });
    return new Map(
      items.flatMap((item) => {
        const { scope, lastSuccessAt } = StateItem.parse(item);
        return lastSuccessAt === undefined ? [] : [[organizationIdOf(scope), lastSuccessAt] as const];
      }),
    );
  },
});

/** Runs that end in an hour started at most this long before. */
const LONGEST_RUN_MS = DAY_MS;

export type SyncFactsDependencies = {
  connections: Pick<ConnectionStore, "read">;
  circuits: Pick<CircuitStore, "read">;
  runs: Pick<SyncRunStore, "readState">;
  syncFacts: Pick<SyncFactsStore, "endedRuns">;
  syncIntervalMs: number;
};

export type SyncFacts = Pick<RuleInput, "runs" | "runBaseline" | "connection">;

export const noSyncFacts: SyncFacts = { runs: [], runBaseline: noBaseline, connection: undefined };

/** When a circuit was last closed: by a success, by an operator, or by the end of a hold. Undefined if it was never open. */
const closedAt = (circuit: Circuit, now: number): number | undefined => {
  if (isHoldOver(circuit, now) && "until" in circuit) return circuit.until;
  if (circuit.state !== "closed" && circuit.state !== "forced_closed") return undefined;
  return circuit.starts.at(-1)?.at;
};

export const createReadSyncFacts = (dependencies: SyncFactsDependencies) => {
  const { connections, circuits, runs, syncFacts, syncIntervalMs } = dependencies;

  /** The connection as it is now; of an hour that is judged late, it may have changed since. */
  const connectionOf = async (
    organizationId: string,
    lastSuccessAt: number | undefined,
    now: number,
  ): Promise<ConnectionFact> => {
    const [connection, circuit] = await Promise.all([connections.read(organizationId), circuits.read(organizationId)]);
    const { state, ...effective } = effectiveState(circuit, now);
    const isConnected = connection.status === "connected";
    return {
      isConnected,
      isCircuitOpen: state !== "closed",
      isForcedOpen: state === "open" && effective.held,
      ...definedFields({
        lastSuccessAt,
        connectedAt: isConnected ? connection.connectedAt : undefined,
        circuitClosedAt: closedAt(circuit, now),
      }),
      syncIntervalMs,
    };
  };

  /** Most hours have too few runs for a finding, and need no baseline. */
  const readRunBaseline = async (
    organizationId: string,
    recentRuns: readonly RunFact[],
    hour: Hour,
    { since, leastRuns }: { since: number; leastRuns: number },
  ): Promise<Baseline> => {
    const inReach = recentRuns.filter(({ startedAt }) => startedAt >= hour.start - HOUR_MS && startedAt < hour.end);
    if (inReach.length < leastRuns) return noBaseline;
    const range = { from: hour.start - BASELINE_DAYS * DAY_MS, to: hour.start };
    return runBaselineOf(await syncFacts.endedRuns(organizationId, range), since, hour.start);
  };

  /**
   * Two read units, and two more if the last success is old enough that a rule needs the connection.
   * @param since the organization's first judged hour, epoch ms.
   * @param leastRuns with fewer runs within reach of the hour, no baseline is read.
   * @param now epoch ms.
   */
  return async (
    organizationId: string,
    hour: Hour,
    { since, leastRuns, now }: { since: number; leastRuns: number; now: number },
  ): Promise<SyncFacts> => {
    const [{ run, lastSuccessAt }, ended] = await Promise.all([
      runs.readState(organizationId),
      syncFacts.endedRuns(organizationId, { from: hour.start - LONGEST_RUN_MS, to: hour.end }),
    ]);
    const isRunning = run !== undefined && run.startedAt < hour.end && ended.every(({ id }) => id !== run.id);
    const all: RunFact[] = isRunning
      ? [...ended, { id: run.id, trigger: run.trigger, status: "running", startedAt: run.startedAt }]
      : ended;
    const silentMs = silentIntervals * syncIntervalMs;
    const isSilent = lastSuccessAt === undefined || hour.end - lastSuccessAt >= silentMs;
    return {
      runs: all,
      runBaseline: await readRunBaseline(organizationId, all, hour, { since, leastRuns }),
      connection: isSilent ? await connectionOf(organizationId, lastSuccessAt, now) : undefined,
    };
  };
};
