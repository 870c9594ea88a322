/**
 * An organization, or one of its users, calls the API far more often than before.
 *
 * Reads: events of source `user`, one call each; operations against the provider belong to the rules of syncing.
 * Groups: `user:…`; `organization` if its users do not explain the number.
 * Threshold: 30 calls in the hour whose Poisson tail is below 1e-6 against the own baseline of 28 days (surprise.ts).
 * Window: the hour.
 * Deduplication: one finding per subject and hour.
 * Severity: MEDIUM: calls that are allowed do no harm by themselves.
 * Evidence: the calls, the expected number and the probability; and the addresses, resources and errors that did not occur
 *   in 28 days. New values alone are no finding, since everything is new once.
 * Reason: a stolen token shows by its use (https://attack.mitre.org/techniques/T1078/), and scraping by its volume
 *   (https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/). Not a z-score: regular
 *   traffic has no variance, and would be flagged never or always.
 */
import type { Baseline } from "../evidence/baseline.ts";
import { callValues, type Fact, isCall } from "../evidence/fact.ts";
import { roundExpected, surpriseOf } from "../evidence/surprise.ts";
import { groupBy, isIn } from "../evidence/windows.ts";
import { type Advice, type FindingKind, findingOfHour, listed, type Rule, type RuleInput } from "./rule.ts";
import { improbability, type ThresholdValues, valuesOf } from "./thresholds.ts";

const rule = "unusual_api_usage";

/** `calls`: the least calls of a finding. */
const thresholds = { calls: { default: 30, min: 10, max: 100_000, unit: "calls an hour" }, improbability } as const;

/** The prior: 60 calls an hour, worth two hours. So a first hour may have some 100 calls. */
const PRIOR = { calls: 120, hours: 2 } as const;

const limitsOf = (set: ThresholdValues | undefined) => {
  const { calls, ...limits } = valuesOf(thresholds, set);
  return { prior: PRIOR, least: calls, improbability: limits.improbability };
};

const kinds = {
  user: { subject: "user:", title: "Unusually many calls of the API by a user", level: "MEDIUM" },
  organization: { subject: "organization", title: "Unusually many calls of the API", level: "MEDIUM" },
} as const;

const newValuesIn = (calls: readonly Fact[], isKnown: RuleInput["isKnown"]) => {
  const found = { address: new Set<string>(), resource: new Set<string>(), error: new Set<string>() };
  for (const { kind, value } of calls.flatMap(callValues)) {
    if (value !== undefined && !found[kind].has(value) && !isKnown(kind, value)) found[kind].add(value);
  }
  const { address, resource, error } = found;
  return { newAddresses: listed(address), newResources: listed(resource), newErrors: listed(error) };
};

/** @returns undefined if the number of calls is not surprising. */
const findingOf = (
  { hour, isKnown }: RuleInput,
  calls: readonly Fact[],
  baseline: Baseline,
  { limits, ...about }: { limits: ReturnType<typeof limitsOf>; kind: FindingKind; id?: string },
) => {
  const surprise = surpriseOf(calls.length, baseline, limits);
  if (surprise === undefined) return undefined;
  return findingOfHour(hour, calls, {
    rule,
    ...about,
    evidence: {
      count: calls.length,
      expected: roundExpected(surprise.expected),
      probability: Number(surprise.probability.toPrecision(3)),
      baselineCalls: baseline.calls,
      baselineHours: Math.round(baseline.hours),
      threshold: limits.least,
      windowMs: hour.end - hour.start,
      ...newValuesIn(calls, isKnown),
    },
  });
};

export const unusualApiUsageAdvice: Advice = {
  level: "MEDIUM",
  action: "Confirm with the users concerned that they made these calls; if not, revoke their tokens.",
};

export const unusualApiUsage = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  needs: (set) => ({ calls: limitsOf(set).least }),
  judge: (input, set) => {
    const limits = limitsOf(set);
    const { hour, baseline, baselineOfUser } = input;
    const calls = input.facts.filter((fact) => isCall(fact) && isIn(hour, fact.at));
    const ofUsers = [...groupBy(calls, ({ userId }) => userId)].flatMap(([id, own]) => {
      // Baselines of users with fewer calls were not read.
      if (own.length < limits.least) return [];
      return findingOf(input, own, baselineOfUser(id), { limits, kind: kinds.user, id }) ?? [];
    });
    const explained = ofUsers.reduce((sum, { evidence }) => sum + evidence.count, 0);
    const isUnexplained = surpriseOf(calls.length - explained, baseline, limits) !== undefined;
    const ofOrganization = isUnexplained && findingOf(input, calls, baseline, { limits, kind: kinds.organization });
    return ofOrganization ? [...ofUsers, ofOrganization] : ofUsers;
  },
} satisfies Rule;
