/**
 * Nothing has been synced for too long, and nobody meant it.
 *
 * Reads: what is known of the connection at the hour's end; no events, since silence leaves none.
 * Group: the organization's connection. Threshold, window: no succeeded run in the last two sync intervals.
 *   It counts from the latest of last success, connecting, and the circuit's closing.
 * Muted: while disconnected or waiting to be reconnected, while the circuit is open, whatever opened it, as that is the
 *   cause and has an alert of its own.
 * Deduplication: one subject, so one alert while it lasts; each hour counts it once more.
 * Severity: HIGH: who reads records believes that they are fresh.
 * Reason: watching for what should have come is the dead man's switch of monitoring
 *   (https://prometheus.io/docs/practices/alerting/#batch-jobs: at least two full runs of leeway).
 */
import { findingOfHour } from "./make-finding.ts";
import type { ConnectionFact, Rule } from "./rule.ts";

const rule = "sync_silence";

export const SILENT_INTERVALS = 2;

/** Since when runs could have succeeded; undefined while they cannot. Epoch ms. */
export const silentSince = (connection: ConnectionFact): number | undefined => {
  const { isConnected, isCircuitOpen, isForcedOpen, lastSuccessAt, connectedAt, circuitClosedAt } = connection;
  if (!isConnected || isCircuitOpen || isForcedOpen) return undefined;
  const times = [lastSuccessAt, connectedAt, circuitClosedAt].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
};

export const syncSilence: Rule = {
  id: rule,
  version: 1,
  judge: ({ hour, connection }) => {
    const since = connection && silentSince(connection);
    if (connection === undefined || since === undefined) return [];
    const silentMs = hour.end - since;
    const allowedMs = SILENT_INTERVALS * connection.syncIntervalMs;
    if (silentMs < allowedMs) return [];
    const finding = findingOfHour(hour, [], {
      rule,
      subject: "connection",
      title: "No sync has succeeded for two intervals",
      level: "HIGH",
      evidence: {
        count: Math.floor(silentMs / connection.syncIntervalMs),
        silentMs,
        threshold: SILENT_INTERVALS,
        windowMs: allowedMs,
        ...(connection.lastSuccessAt !== undefined && { lastSuccessAt: connection.lastSuccessAt }),
      },
    });
    return [{ ...finding, firstSeen: since, lastSeen: hour.end }];
  },
};
