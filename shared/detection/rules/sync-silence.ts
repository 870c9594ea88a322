/**
 * No sync has succeeded for too long, although it should have.
 *
 * Reads: the connection at the hour's end; no events, since silence leaves none.
 * Group: the organization's connection. Threshold, window: no succeeded run in the last two sync intervals (or more, as set), counted from
 *   the latest of the last success, connecting, and the circuit's closing.
 * Muted: while disconnected or waiting to be reconnected; while the circuit is open for any reason, which is the cause and
 *   has an alert of its own.
 * Deduplication: one subject, so one alert while it lasts; each hour counts it once more.
 * Severity: HIGH: readers of records believe that they are fresh.
 * Reason: alerting on what did not happen is the dead man's switch of monitoring
 *   (https://prometheus.io/docs/practices/alerting/#batch-jobs: at least two full runs of leeway).
 */
import { definedFields } from "../../json/defined-fields.ts";
import type { ConnectionFact } from "../evidence/syncing.ts";
import { type Advice, findingOfHour, type Rule } from "./rule.ts";
import { valuesOf } from "./thresholds.ts";

const rule = "sync_silence";

/** The least intervals that an organization can set; the default, too. The dispatcher finds connections that are silent for these. */
export const SILENT_INTERVALS = 2;

const thresholds = {
  intervals: { default: SILENT_INTERVALS, min: SILENT_INTERVALS, max: 42, unit: "sync intervals" },
} as const;

const kinds = {
  silent: { subject: "connection", title: "No sync has succeeded for two intervals", level: "HIGH" },
} as const;

/** Since when runs could have succeeded, in epoch ms; undefined while they cannot. */
const silentSince = (connection: ConnectionFact): number | undefined => {
  const { isConnected, isCircuitOpen, isForcedOpen, lastSuccessAt, connectedAt, circuitClosedAt } = connection;
  if (!isConnected || isCircuitOpen || isForcedOpen) return undefined;
  const times = [lastSuccessAt, connectedAt, circuitClosedAt].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
};

export const syncSilenceAdvice: Advice = {
  level: "HIGH",
  action: "Check the connection to the provider, and connect it again if necessary: records are out of date.",
};

export const syncSilence = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  needs: () => ({ silentIntervals: SILENT_INTERVALS }),
  judge: ({ hour, connection }, set) => {
    const { intervals } = valuesOf(thresholds, set);
    const since = connection && silentSince(connection);
    if (connection === undefined || since === undefined) return [];
    const silentMs = hour.end - since;
    const allowedMs = intervals * connection.syncIntervalMs;
    if (silentMs < allowedMs) return [];
    const finding = findingOfHour(hour, [], {
      rule,
      kind: kinds.silent,
      evidence: {
        count: Math.floor(silentMs / connection.syncIntervalMs),
        silentMs,
        threshold: intervals,
        windowMs: allowedMs,
        ...definedFields({ lastSuccessAt: connection.lastSuccessAt }),
      },
    });
    return [{ ...finding, firstSeen: since, lastSeen: hour.end }];
  },
} satisfies Rule;
