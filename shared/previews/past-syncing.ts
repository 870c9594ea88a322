/**
 * What the rules of syncing would have read in past hours: runs from their table, the connection and its circuit from the
 * events that tell of their changes. Pure. Times are epoch ms.
 */

import type { ConnectedSpan } from "../connection/connected-spans.ts";
import { BASELINE_DAYS, noBaseline } from "../detection/evidence/baseline.ts";
import type { Fact } from "../detection/evidence/fact.ts";
import type { ConnectionFact, RunFact } from "../detection/evidence/syncing.ts";
import { runBaselineOf } from "../detection/evidence/syncing.ts";
import type { Hour } from "../detection/evidence/windows.ts";
import type { SyncFacts } from "../detection/sync-facts-store.ts";
import { definedFields } from "../json/defined-fields.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";

/**
 * `isConnected` is undefined before the first sign of a connection or of its end. `connectedAt`: of the last connect;
 * `connectedSince`: since when without a break.
 */
export type PastConnection = {
  isConnected?: boolean | undefined;
  connectedAt?: number | undefined;
  connectedSince?: number | undefined;
  circuit: "closed" | "open" | "forced_open";
  circuitClosedAt?: number | undefined;
};

/** What a preview knows of the present connection; undefined if there is none. */
export type PresentConnection = { connectedAt: number; connectedSince: number } | undefined;

/** @param since the first hour that is judged. */
export const connectionAtStart = (present: PresentConnection, since: number): PastConnection => ({
  circuit: "closed",
  ...(present !== undefined && present.connectedSince <= since && { ...present, isConnected: true }),
});

/** The actions of the events of a circuit (shared/circuit-breaker/record-transition.ts). */
const circuitAfter: Readonly<Record<string, PastConnection["circuit"]>> = {
  open: "open",
  half_open: "open",
  force_open: "forced_open",
  close: "closed",
  reset: "closed",
  force_close: "closed",
};

/** Since when the organization is connected without a break, epoch ms; undefined if it is not. */
const connectedSince = ({ isConnected, connectedSince: since }: PastConnection): number | undefined =>
  isConnected === true ? since : undefined;

/** When the organization was connected, as far as windows that end now depend on it. */
export const pastConnectedSpans = (connection: PastConnection): ConnectedSpan[] => {
  const since = connectedSince(connection);
  return since === undefined ? [] : [{ since }];
};

const withFact = (before: PastConnection, { type, action = "", success, at }: Fact): PastConnection => {
  if (type === "PROVIDER_CONNECTION_ESTABLISHED" && success) {
    return { ...before, isConnected: true, connectedAt: at, connectedSince: connectedSince(before) ?? at };
  }
  if (type === "PROVIDER_CONNECTION_REMOVED" || action === "require_reconnect")
    return { ...before, isConnected: false };
  // A run needs a connection, even if its beginning is not known.
  if (type === "PROVIDER_SYNC_STARTED" && before.isConnected === undefined) {
    return { ...before, isConnected: true, connectedAt: at, connectedSince: at };
  }
  const circuit = type === "CIRCUIT_BREAKER_CHANGED" ? circuitAfter[action] : undefined;
  if (circuit === undefined) return before;
  return { ...before, circuit, ...(circuit === "closed" && { circuitClosedAt: at }) };
};

/** The connection after the facts of an hour, which are in order of time. */
export const connectionAfter = (before: PastConnection, facts: readonly Fact[]): PastConnection =>
  facts.reduce(withFact, before);

/** The first index whose run started at or after a time. @param runs in order of their start. */
const indexAt = (runs: readonly RunFact[], at: number): number => {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.startedAt ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
};

type Past = {
  /** In order of their start. */
  runs: readonly RunFact[];
  /** At the end of the hour. */
  connection: PastConnection;
  syncIntervalMs: number;
};

/**
 * @param judgedAt when the hour was judged: a run that had succeeded by then broke the silence.
 * @param options.since the first judged hour. `leastRuns`: with fewer runs in reach there is no baseline.
 */
export const pastSyncFacts = (
  { runs, connection, syncIntervalMs }: Past,
  hour: Hour,
  { since, leastRuns, judgedAt }: { since: number; leastRuns: number; judgedAt: number },
): SyncFacts => {
  const startedIn = (from: number, to: number) => runs.slice(indexAt(runs, from), indexAt(runs, to));
  const inReach = startedIn(hour.start - HOUR_MS, hour.end);
  const { isConnected = false, connectedAt, circuit, circuitClosedAt } = connection;
  const successes = runs.flatMap(({ status, finishedAt }) =>
    status === "succeeded" && finishedAt !== undefined && finishedAt <= judgedAt ? [finishedAt] : [],
  );
  const lastSuccessAt = successes.length === 0 ? undefined : successes.reduce((a, b) => Math.max(a, b));
  const connectionFact: ConnectionFact = {
    isConnected,
    isCircuitOpen: circuit !== "closed",
    isForcedOpen: circuit === "forced_open",
    ...definedFields({ lastSuccessAt, connectedAt: isConnected ? connectedAt : undefined, circuitClosedAt }),
    syncIntervalMs,
  };
  return {
    runs: startedIn(hour.start - DAY_MS, hour.end),
    runBaseline:
      inReach.length < leastRuns
        ? noBaseline
        : runBaselineOf(startedIn(hour.start - BASELINE_DAYS * DAY_MS, hour.start), since, hour.start),
    connection: connectionFact,
  };
};
