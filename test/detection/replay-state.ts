import * as z from "zod/mini";
import { addHour, baselineOf, type History } from "../../shared/detection/evidence/baseline.ts";
import { callValues, type Fact, isCall } from "../../shared/detection/evidence/fact.ts";
import { type ConnectionFact, type RunFact, runBaselineOf } from "../../shared/detection/evidence/syncing.ts";
import type { RuleInput } from "../../shared/detection/rules/rule.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { DAY, HOUR } from "./events.ts";

const KEPT_MS = 28 * DAY;

const RunMetadata = z.object({ runId: z.string(), trigger: z.string() });
const CircuitMetadata = z.object({ to: z.string() });

/** The rules' input in addition to facts, derived from one organization's recorded events in order. */
export const createReplayState = (syncIntervalMs: number) => {
  const runs = new Map<string, RunFact>();
  const known = {
    address: new Map<string, number>(),
    resource: new Map<string, number>(),
    error: new Map<string, number>(),
  };
  const users = new Map<string, History>();
  let calls: History | undefined;
  let since: number | undefined;
  let circuit = "closed";
  let connection: Omit<ConnectionFact, "isCircuitOpen" | "isForcedOpen"> | undefined;

  const takeRun = ({ eventType, timestamp, metadata }: SecurityEvent) => {
    const { data } = RunMetadata.safeParse(metadata);
    if (data === undefined) return;
    const { runId: id, trigger } = data;
    if (eventType === "PROVIDER_SYNC_STARTED") runs.set(id, { id, trigger, status: "running", startedAt: timestamp });
    if (eventType !== "PROVIDER_SYNC_COMPLETED" && eventType !== "PROVIDER_SYNC_FAILED") return;
    const status = eventType === "PROVIDER_SYNC_COMPLETED" ? "succeeded" : "failed";
    const startedAt = runs.get(id)?.startedAt ?? timestamp;
    runs.set(id, { id, trigger, status, startedAt, finishedAt: timestamp });
    // A run implies a connection, even if connecting was not recorded.
    connection ??= { isConnected: true, connectedAt: startedAt, syncIntervalMs };
    if (status === "succeeded") connection.lastSuccessAt = timestamp;
  };

  const take = (event: SecurityEvent) => {
    const { eventType, timestamp, action, metadata } = event;
    takeRun(event);
    if (eventType === "PROVIDER_CONNECTION_ESTABLISHED")
      connection = { ...connection, isConnected: true, connectedAt: timestamp, syncIntervalMs };
    if (eventType === "PROVIDER_CONNECTION_REMOVED" || action === "require_reconnect") {
      if (connection !== undefined) connection.isConnected = false;
    }
    if (eventType !== "CIRCUIT_BREAKER_CHANGED") return;
    circuit = CircuitMetadata.safeParse(metadata).data?.to ?? circuit;
    if (circuit.endsWith("closed") && connection !== undefined) connection.circuitClosedAt = timestamp;
  };

  return {
    /** Whether silence would be no finding, so that hours without events need no judging. */
    isIdle: () => connection?.isConnected !== true,

    /** Reads the hour's events, and returns the rules' input. */
    begin(start: number, events: readonly SecurityEvent[]): Omit<RuleInput, "facts"> {
      since ??= start;
      for (const event of events) take(event);
      for (const [id, { startedAt }] of runs) {
        if (startedAt >= start - KEPT_MS) break;
        runs.delete(id);
      }
      const recentRuns = [...runs.values()];
      return {
        hour: { start, end: start + HOUR },
        baseline: baselineOf(calls, start),
        baselineOfUser: (userId) => baselineOf(users.get(userId), start),
        isKnown: (kind, value) => (known[kind].get(value) ?? Number.NEGATIVE_INFINITY) >= start - KEPT_MS,
        runs: recentRuns,
        runBaseline: runBaselineOf(recentRuns, since, start),
        connection: connection && {
          ...connection,
          isCircuitOpen: circuit === "open" || circuit === "half_open",
          isForcedOpen: circuit === "forced_open",
        },
      };
    },

    /** Adds the hour to the baselines. */
    end(start: number, facts: readonly Fact[]): void {
      const own = new Map<string, number>();
      let count = 0;
      for (const fact of facts.filter(isCall)) {
        count++;
        if (fact.userId !== undefined) own.set(fact.userId, (own.get(fact.userId) ?? 0) + 1);
        for (const { kind, value } of callValues(fact)) if (value !== undefined) known[kind].set(value, start);
      }
      calls = addHour(calls, start, count);
      for (const [user, made] of own) users.set(user, addHour(users.get(user), start, made));
    },
  };
};
