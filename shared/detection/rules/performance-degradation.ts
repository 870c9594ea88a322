/**
 * Operations against the provider have become slow.
 *
 * Reads: the durations of the last ten, and the mean of 28 days; judged when an operation ends, not by the hour.
 * Group: `provider`. Threshold: the mean of the last 10 is at least 5 times that of 28 days, and at least 500 ms, after at
 *   least 20 operations. The mean excludes the last ten: of 20 they would be half. Window: ten operations.
 * Deduplication: one finding per hour that it lasts.
 * Severity: MEDIUM, as an error of the provider is.
 * Reason: overload starts with slowness and ends with time-outs, which open the circuit: latency is the first signal to
 *   watch (https://sre.google/sre-book/monitoring-distributed-systems/). Ten operations, so that one slow answer is no
 *   finding; 500 ms, so that ten times a tiny mean is none either.
 */
import { hourName } from "../../terms/hours.ts";
import { LAST_OPERATIONS, type Latency } from "../evidence/latency.ts";
import type { Advice, Rule } from "./rule.ts";
import { type ThresholdValues, valuesOf } from "./thresholds.ts";

const rule = "performance_degradation";

/** Not to be set lower: quicker operations read nothing. */
const LEAST_MS = 500;

const thresholds = {
  times: { default: 5, min: 2, max: 100, unit: "times the mean of 28 days" },
  leastMs: { default: LEAST_MS, min: LEAST_MS, max: 10_000, unit: "milliseconds" },
  operations: { default: 20, min: 20, max: 1_000, unit: "operations" },
} as const;

const kinds = {
  slow: { subject: "provider", title: "The provider answers much more slowly than usual", level: "MEDIUM" },
} as const;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

export const performanceDegradationAdvice: Advice = {
  level: "LOW",
  action: "Watch how fast the provider answers. If it stays slow, report it to the provider.",
};

export const performanceDegradation = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  needs: () => ({ slowOperationMs: LEAST_MS }),
  judgeOperations: ({ last, days }: Latency, set?: ThresholdValues) => {
    const least = valuesOf(thresholds, set);
    const first = last.at(0);
    const latest = last.at(-1);
    const operations = sum(days.map((one) => one.operations));
    if (first === undefined || latest === undefined) return undefined;
    if (operations < least.operations || last.length < LAST_OPERATIONS) return undefined;
    const lastMs = sum(last.map(({ durationMs }) => durationMs));
    const meanMs = lastMs / last.length;
    const baselineMs = (sum(days.map(({ totalMs }) => totalMs)) - lastMs) / (operations - last.length);
    if (meanMs < least.times * baselineMs || meanMs < least.leastMs) return undefined;
    return {
      rule,
      ...kinds.slow,
      occurrence: hourName(latest.at),
      eventIds: last.map(({ id }) => id),
      evidence: {
        count: last.length,
        meanMs: Math.round(meanMs),
        baselineMs: Math.round(baselineMs),
        operations,
        threshold: least.times,
        leastMs: least.leastMs,
      },
      firstSeen: first.at,
      lastSeen: latest.at,
    };
  },
} satisfies Rule;
