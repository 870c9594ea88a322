/**
 * Requests exceed rate limits: the provider's, or our own.
 *
 * Reads: operations against the provider. Each rejection by the provider's limit counts, even if a later attempt succeeded
 *   (`rateLimited`). Our own rate limiter delays and never rejects: an operation counts if it waited for half of the time
 *   that an operation has.
 * Groups: one per limit, as they need different remedies: `limit:provider`, `limit:pace` (our own).
 * Threshold, window: 3 in 15 min; or, in the hour, 2 and more than 5 % of at least 40 requests.
 * Deduplication: one finding per limit and hour.
 * Severity: HIGH for the provider's limit, as such errors are; MEDIUM for our own, which protects against the provider's.
 * Reason: a client that keeps exceeding a limit does more than intended, or is abused
 *   (https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/,
 *   https://attack.mitre.org/techniques/T1499/). A single rejection is normal.
 */
import { MINUTE_MS } from "../../terms/hours.ts";
import type { Fact } from "../evidence/fact.ts";
import { factsIn, heavyWindows, isIn, recent, windowsEndingIn } from "../evidence/windows.ts";
import { type Advice, findingOfHour, type Rule, type RuleInput } from "./rule.ts";
import { minutes, type ThresholdValues, valuesOf } from "./thresholds.ts";

const rule = "rate_limit_violations";

const thresholds = {
  rejections: { default: 3, min: 2, max: 50, unit: "rejections" },
  windowMinutes: minutes(15, 5),
  sharePercent: { default: 5, min: 1, max: 100, unit: "percent of the hour's requests" },
  requests: { default: 40, min: 10, max: 100_000, unit: "requests an hour" },
  // Half of an operation's 10 s, which exclude this wait.
  waitMs: { default: 5_000, min: 1_000, max: 10_000, unit: "milliseconds" },
} as const;

/** Of a share, so that one rejection is none. */
const LEAST_REJECTIONS = 2;

const limitsOf = (set: ThresholdValues | undefined) => {
  const { rejections, windowMinutes, sharePercent, requests, waitMs } = valuesOf(thresholds, set);
  const rejected = { threshold: rejections, windowMs: windowMinutes * MINUTE_MS };
  return { rejected, share: sharePercent / 100, requests, waitMs };
};
type Limits = ReturnType<typeof limitsOf>;

const kinds = {
  provider: {
    subject: "limit:provider",
    title: "The provider's rate limit was exceeded several times",
    level: "HIGH",
  },
  pace: {
    subject: "limit:pace",
    title: "Requests wait long, so that the provider's rate limit is kept",
    level: "MEDIUM",
  },
} as const;

type Limit = keyof typeof kinds;

/** How often an operation exceeded a limit. */
const weightsOf = ({ waitMs }: Limits): Record<Limit, (fact: Fact) => number> => ({
  provider: ({ type, rateLimited }) => rateLimited ?? (type === "RATE_LIMIT_EXCEEDED" ? 1 : 0),
  pace: ({ pacedMs = 0 }) => (pacedMs >= waitMs ? 1 : 0),
});

const sum = (facts: readonly Fact[], weightOf: (fact: Fact) => number): number =>
  facts.reduce((total, fact) => total + weightOf(fact), 0);

const findingsOf = ({ hour, facts }: RuleInput, limit: Limit, limits: Limits) => {
  const weightOf = weightsOf(limits)[limit];
  const rejected = facts.filter((fact) => weightOf(fact) > 0);
  const windows = windowsEndingIn(heavyWindows(rejected, { ...limits.rejected, weightOf }), hour);
  const inHour = rejected.filter(({ at }) => isIn(hour, at));
  const requests = sum(
    facts.filter(({ at }) => isIn(hour, at)),
    ({ attempts = 0 }) => attempts,
  );
  const rejections = sum(inHour, weightOf);
  const isShare = rejections >= LEAST_REJECTIONS && requests >= limits.requests && rejections > limits.share * requests;
  const evidence = new Set([...factsIn(windows), ...(isShare ? inHour : [])]);
  if (evidence.size === 0) return [];
  const found = rejected.filter((fact) => evidence.has(fact));
  return [
    findingOfHour(hour, found, {
      rule,
      kind: kinds[limit],
      evidence: {
        count: sum(found, weightOf),
        reason: limit,
        requests,
        ...(windows.ranges.length > 0 && limits.rejected),
        ...(isShare && { share: Math.round((rejections / requests) * 1_000) / 1_000, shareThreshold: limits.share }),
      },
    }),
  ];
};

export const rateLimitViolationsAdvice: Advice = {
  level: "MEDIUM",
  action: "Start fewer syncs by hand, or ask the provider for a higher rate limit.",
};

export const rateLimitViolations = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  carries: ({ facts, hour }, set) => {
    const limits = limitsOf(set);
    const { provider, pace } = weightsOf(limits);
    const rejected = facts.filter((fact) => provider(fact) > 0 || pace(fact) > 0);
    return recent(rejected, hour, limits.rejected.windowMs);
  },
  judge: (input, set) => {
    const limits = limitsOf(set);
    return [...findingsOf(input, "provider", limits), ...findingsOf(input, "pace", limits)];
  },
} satisfies Rule;
