/**
 * Requests run into rate limits: the provider's, or our own.
 *
 * Reads: operations against the provider. Of the provider's limit each refusal counts, one that a later attempt made
 *   good included (`rateLimited`). Of our own pace, which lets wait and never refuses, an operation counts that waited
 *   for half of the time that an operation has.
 * Groups: one per reason, as they need different remedies: `limit:provider`, `limit:pace`.
 * Threshold, window: 3 in 15 min; or, in the hour, 2 and more than 5 % of the requests, of which there are at least 40.
 * Deduplication: one finding per reason and hour.
 * Severity: HIGH for the provider's, as such errors are; MEDIUM for our own, which keeps the provider's from being met.
 * Reason: a client that keeps running into a limit either does more than it was made for, or is made to
 *   (https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/,
 *   https://attack.mitre.org/techniques/T1499/). A single refusal is what limits are for.
 */
import { MINUTE_MS } from "../../terms/hours.ts";
import type { Fact } from "./fact.ts";
import { findingOfHour, isIn, recent } from "./make-finding.ts";
import type { Rule, RuleInput } from "./rule.ts";
import { factsIn, heavyWindows } from "./sliding-window.ts";

const rule = "rate_limit_violations";

export const REFUSED = { threshold: 3, windowMs: 15 * MINUTE_MS } as const;
export const SHARE = { above: 0.05, refusals: 2, requests: 40 } as const;
/** An operation has 10 s in all, not counting what it waits for our own pace. */
export const LONG_WAIT_MS = 5_000;

const reasons = {
  provider: {
    title: "The provider's rate limit is exceeded again and again",
    level: "HIGH",
    weightOf: ({ type, rateLimited }: Fact): number => rateLimited ?? (type === "RATE_LIMIT_EXCEEDED" ? 1 : 0),
  },
  pace: {
    title: "Operations wait long for our own pace towards the provider",
    level: "MEDIUM",
    weightOf: ({ pacedMs = 0 }: Fact): number => (pacedMs >= LONG_WAIT_MS ? 1 : 0),
  },
} as const;

const sum = (facts: readonly Fact[], weightOf: (fact: Fact) => number): number =>
  facts.reduce((total, fact) => total + weightOf(fact), 0);

const findingsOf = ({ hour, facts }: RuleInput, reason: keyof typeof reasons) => {
  const { title, level, weightOf } = reasons[reason];
  const refused = facts.filter((fact) => weightOf(fact) > 0);
  const windows = heavyWindows(refused, { ...REFUSED, weightOf }).filter(({ to }) =>
    isIn(hour, refused[to]?.at ?? hour.end),
  );
  const inHour = refused.filter(({ at }) => isIn(hour, at));
  const requests = sum(
    facts.filter(({ at }) => isIn(hour, at)),
    ({ attempts = 0 }) => attempts,
  );
  const refusals = sum(inHour, weightOf);
  const isShare = refusals >= SHARE.refusals && requests >= SHARE.requests && refusals > SHARE.above * requests;
  const evidence = new Set([...factsIn(refused, windows), ...(isShare ? inHour : [])]);
  if (evidence.size === 0) return [];
  const found = refused.filter((fact) => evidence.has(fact));
  return [
    findingOfHour(hour, found, {
      rule,
      subject: `limit:${reason}`,
      title,
      level,
      evidence: {
        count: sum(found, weightOf),
        reason,
        requests,
        ...(windows.length > 0 && { threshold: REFUSED.threshold, windowMs: REFUSED.windowMs }),
        ...(isShare && { share: Math.round((refusals / requests) * 1_000) / 1_000, shareThreshold: SHARE.above }),
      },
    }),
  ];
};

export const rateLimitViolations: Rule = {
  id: rule,
  version: 1,
  carries: ({ facts, hour }) =>
    recent(
      facts.filter((fact) => Object.values(reasons).some(({ weightOf }) => weightOf(fact) > 0)),
      hour,
      REFUSED.windowMs,
    ),
  judge: (input) => [...findingsOf(input, "provider"), ...findingsOf(input, "pace")],
};
