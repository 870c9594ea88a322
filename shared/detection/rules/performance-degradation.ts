/**
 * Operations against the provider have become slow.
 *
 * Reads: how long the last ten took, and the mean of 28 days; found when it happens, not by the hour.
 * Group: `provider`. Threshold: the mean of the last 10 is at least 5 times that of 28 days, and at least 500 ms, after
 *   at least 20 operations. The last ten are no part of what they are held against: of 20 they would be half.
 *   Window: ten operations.
 * Deduplication: one finding per hour that it lasts.
 * Severity: MEDIUM, as an error of the provider's own is.
 * Reason: slowness is how overload begins, and time-outs, which open the circuit, are how it ends: latency is the first of
 *   the signals to watch (https://sre.google/sre-book/monitoring-distributed-systems/). Ten, so that one slow answer is
 *   none; 500 ms, so that a tenth of nothing is none either.
 */
import * as z from "zod/mini";
import type { Finding } from "../../security/alerts/finding.ts";
import { DAY_MS, dayName, hourName, startOfDay, timeOfName } from "../../terms/hours.ts";
import { BASELINE_DAYS } from "./baseline.ts";
import type { Fact } from "./fact.ts";

const rule = "performance_degradation";

export const LAST_OPERATIONS = 10;
export const DEGRADED = { times: 5, leastMs: 500, operations: 20 } as const;

/** Durations in ms. `days` of the last 28, oldest first; `last` the newest operations, oldest first. */
export const Latency = z.object({
  last: z.array(z.object({ id: z.string(), at: z.number(), durationMs: z.number() })),
  days: z.array(z.object({ day: z.string(), operations: z.number(), totalMs: z.number() })),
});
export type Latency = z.output<typeof Latency>;

export const noLatency: Latency = { last: [], days: [] };

/** An operation that reached the provider: how long one took that the circuit refused says nothing. */
export const isTimedOperation = ({ attempts = 0, durationMs, type }: Fact): boolean =>
  attempts > 0 && durationMs !== undefined && type !== "PROVIDER_TOKEN_REFRESH";

/** With one more operation; days beyond 28 are dropped. */
export const withOperation = (
  { last, days }: Latency,
  { id, at, durationMs = 0 }: Pick<Fact, "id" | "at" | "durationMs">,
): Latency => {
  const oldest = startOfDay(at) - BASELINE_DAYS * DAY_MS;
  const day = dayName(at);
  const kept = days.filter((one) => timeOfName(one.day) >= oldest);
  const known = kept.find((one) => one.day === day) ?? { operations: 0, totalMs: 0 };
  const counted = { day, operations: known.operations + 1, totalMs: known.totalMs + durationMs };
  return {
    last: [...last, { id, at, durationMs }].slice(-LAST_OPERATIONS),
    days: [...kept.filter((one) => one.day !== day), counted],
  };
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Means in ms. */
export type Degradation = { lastMeanMs: number; meanMs: number; operations: number };

/**
 * Whether operations are slow.
 * @param last the durations of the last ten, in ms.
 * @param meanMs the mean of the 28 days, those last ten left out.
 * @param operations how many there were in 28 days, in all.
 */
export const degradationOf = (last: readonly number[], meanMs: number, operations: number): Degradation | undefined => {
  if (operations < DEGRADED.operations || last.length < LAST_OPERATIONS) return undefined;
  const lastMeanMs = sum(last) / last.length;
  const isSlow = lastMeanMs >= DEGRADED.times * meanMs && lastMeanMs >= DEGRADED.leastMs;
  return isSlow ? { lastMeanMs, meanMs, operations } : undefined;
};

/** The finding that the last operation completes, where there is one. */
export const judgeLatency = ({ last, days }: Latency): Finding | undefined => {
  const durations = last.map(({ durationMs }) => durationMs);
  const operations = sum(days.map((one) => one.operations));
  const before = sum(days.map(({ totalMs }) => totalMs)) - sum(durations);
  const degradation = degradationOf(durations, before / (operations - last.length), operations);
  const first = last.at(0);
  const latest = last.at(-1);
  if (degradation === undefined || first === undefined || latest === undefined) return undefined;
  return {
    rule,
    subject: "provider",
    title: "The provider answers much more slowly than usual",
    level: "MEDIUM",
    occurrence: hourName(latest.at),
    eventIds: last.map(({ id }) => id),
    evidence: {
      count: last.length,
      meanMs: Math.round(degradation.lastMeanMs),
      baselineMs: Math.round(degradation.meanMs),
      operations,
      threshold: DEGRADED.times,
      leastMs: DEGRADED.leastMs,
    },
    firstSeen: first.at,
    lastSeen: latest.at,
  };
};
