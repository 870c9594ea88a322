/** What rules read of an organization's connection, and of its runs. */

import { type Circuit, effectiveState, isHoldOver } from "../circuit-breaker/circuit.ts";
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { LEAST_RUNS, runBaselineOf } from "./rules/abnormal-sync-frequency.ts";
import { BASELINE_DAYS } from "./rules/baseline.ts";
import type { Baseline, ConnectionFact, Hour, RunFact } from "./rules/rule.ts";
import { SILENT_INTERVALS } from "./rules/sync-silence.ts";
import type { SyncFactsStore } from "./sync-facts-store.ts";

/** A run that ends in an hour began, if not long before, within so much of it. */
const LONGEST_RUN_MS = DAY_MS;

export type ConnectionFactParts = {
  connections: Pick<ConnectionStore, "read">;
  circuits: Pick<CircuitStore, "read">;
  runs: Pick<SyncRunStore, "readState">;
  syncFacts: Pick<SyncFactsStore, "endedRuns">;
  syncIntervalMs: number;
};

export type SyncFacts = { runs: readonly RunFact[]; runBaseline: Baseline; connection: ConnectionFact | undefined };

export const noSyncFacts: SyncFacts = {
  runs: [],
  runBaseline: { calls: 0, hours: 0, dailyPeaks: [] },
  connection: undefined,
};

/** When a circuit was last closed, by itself, by an operator, or by the end of a hold; undefined where it never was open. */
const closedAt = (circuit: Circuit, now: number): number | undefined => {
  if (isHoldOver(circuit, now) && "until" in circuit) return circuit.until;
  if (circuit.state !== "closed" && circuit.state !== "forced_closed") return undefined;
  return circuit.starts.at(-1)?.at;
};

/** @param now epoch ms; the connection is as it is now, which for an hour made up late is not as it was. */
export const createSyncFacts = ({ connections, circuits, runs, syncFacts, syncIntervalMs }: ConnectionFactParts) => {
  const connectionOf = async (
    organizationId: string,
    lastSuccessAt: number | undefined,
    now: number,
  ): Promise<ConnectionFact> => {
    const [connection, circuit] = await Promise.all([connections.read(organizationId), circuits.read(organizationId)]);
    const { state, ...effective } = effectiveState(circuit, now);
    const circuitClosedAt = closedAt(circuit, now);
    return {
      isConnected: connection.status === "connected",
      isCircuitOpen: state !== "closed",
      isForcedOpen: state === "open" && effective.held,
      ...(lastSuccessAt !== undefined && { lastSuccessAt }),
      ...(connection.status === "connected" && { connectedAt: connection.connectedAt }),
      ...(circuitClosedAt !== undefined && { circuitClosedAt }),
      syncIntervalMs,
    };
  };

  /** Most hours are far from a burst, and need no baseline. */
  const runBaseline = async (
    organizationId: string,
    recent: readonly RunFact[],
    hour: Hour,
    since: number,
  ): Promise<Baseline> => {
    const inReach = recent.filter(({ startedAt }) => startedAt >= hour.start - HOUR_MS && startedAt < hour.end);
    if (inReach.length < LEAST_RUNS) return noSyncFacts.runBaseline;
    const range = { from: hour.start - BASELINE_DAYS * DAY_MS, to: hour.start };
    return runBaselineOf(await syncFacts.endedRuns(organizationId, range), since, hour.start);
  };

  /**
   * Reads what is known: two read units, and two more while no run has succeeded for long, since only then does anything
   * else about the connection matter.
   * @param since the organization's first judged hour, epoch ms.
   */
  return async (
    organizationId: string,
    hour: Hour,
    { since, now }: { since: number; now: number },
  ): Promise<SyncFacts> => {
    const [state, ended] = await Promise.all([
      runs.readState(organizationId),
      syncFacts.endedRuns(organizationId, { from: hour.start - LONGEST_RUN_MS, to: hour.end }),
    ]);
    const { run, lastSuccessAt } = state;
    const isUnderWay = run !== undefined && run.startedAt < hour.end && ended.every(({ id }) => id !== run.id);
    const known: RunFact[] = isUnderWay
      ? [...ended, { id: run.id, trigger: run.trigger, status: "running", startedAt: run.startedAt }]
      : ended;
    const isFresh = lastSuccessAt !== undefined && hour.end - lastSuccessAt < SILENT_INTERVALS * syncIntervalMs;
    return {
      runs: known,
      runBaseline: await runBaseline(organizationId, known, hour, since),
      connection: isFresh ? undefined : await connectionOf(organizationId, lastSuccessAt, now),
    };
  };
};
