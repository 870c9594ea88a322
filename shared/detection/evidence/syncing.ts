/** What detection reads about sync runs and the connection. Pure. */
import { HOUR_MS } from "../../terms/hours.ts";
import { addHour, type Baseline, baselineOf, type History } from "./baseline.ts";

/** A sync run; times in epoch ms. */
export type RunFact = {
  id: string;
  trigger: string;
  status: "running" | "succeeded" | "failed" | "cancelled";
  startedAt: number;
  finishedAt?: number;
};

/** The connection at the hour's end. Silence counts from the latest of the three times (epoch ms). */
export type ConnectionFact = {
  isConnected: boolean;
  /** Open or half open. */
  isCircuitOpen: boolean;
  isForcedOpen: boolean;
  lastSuccessAt?: number;
  connectedAt?: number;
  circuitClosedAt?: number;
  syncIntervalMs: number;
};

/** Triggers of runs that a user or a gap in the webhooks requested; the others are expected. */
export const requestedTriggers = ["manual", "webhook_gap"] as const;

const isRequested = ({ trigger }: RunFact): boolean => requestedTriggers.some((one) => one === trigger);

/**
 * The baseline of requested runs, up to an hour before the hour: from there on, windows that end in the hour begin.
 * @param runs those of the 28 days before.
 * @param since epoch ms: the first hour that was judged.
 */
export const runBaselineOf = (runs: readonly RunFact[], since: number, hourStart: number): Baseline => {
  const end = hourStart - HOUR_MS;
  const byHour = new Map<number, number>();
  for (const run of runs) {
    if (!isRequested(run) || run.startedAt < since || run.startedAt >= end) continue;
    const start = Math.floor(run.startedAt / HOUR_MS) * HOUR_MS;
    byHour.set(start, (byHour.get(start) ?? 0) + 1);
  }
  let history: History = { since, days: [] };
  for (const [start, count] of [...byHour].sort(([a], [b]) => a - b)) history = addHour(history, start, count);
  return baselineOf(history, end);
};
