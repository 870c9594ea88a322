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

const rule = "rate_limit_violations";

const REJECTED = { threshold: 3, windowMs: 15 * MINUTE_MS } as const;
const SHARE = { above: 0.05, rejections: 2, requests: 40 } as const;
/** Half of an operation's 10 s, which exclude this wait. */
const LONG_WAIT_MS = 5_000;

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
const weights: Record<Limit, (fact: Fact) => number> = {
  provider: ({ type, rateLimited }) => rateLimited ?? (type === "RATE_LIMIT_EXCEEDED" ? 1 : 0),
  pace: ({ pacedMs = 0 }) => (pacedMs >= LONG_WAIT_MS ? 1 : 0),
};

const sum = (facts: readonly Fact[], weightOf: (fact: Fact) => number): number =>
  facts.reduce((total, fact) => total + weightOf(fact), 0);

const findingsOf = ({ hour, facts }: RuleInput, limit: Limit) => {
  const weightOf = weights[limit];
  const rejected = facts.filter((fact) => weightOf(fact) > 0);
  const windows = windowsEndingIn(heavyWindows(rejected, { ...REJECTED, weightOf }), hour);
  const inHour = rejected.filter(({ at }) => isIn(hour, at));
  const requests = sum(
    facts.filter(({ at }) => isIn(hour, at)),
    ({ attempts = 0 }) => attempts,
  );
  const rejections = sum(inHour, weightOf);
  const isShare = rejections >= SHARE.rejections && requests >= SHARE.requests && rejections > SHARE.above * requests;
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
        ...(windows.ranges.length > 0 && REJECTED),
        ...(isShare && { share: Math.round((rejections / requests) * 1_000) / 1_000, shareThreshold: SHARE.above }),
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
  carries: ({ facts, hour }) =>
    recent(
      facts.filter((fact) => weights.provider(fact) > 0 || weights.pace(fact) > 0),
      hour,
      REJECTED.windowMs,
    ),
  judge: (input) => [...findingsOf(input, "provider"), ...findingsOf(input, "pace")],
} satisfies Rule;
