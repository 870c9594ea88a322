/**
 * An organization, or one of its users, calls the API far more than ever.
 *
 * Reads: events of source `user`, one call each; what calls led to at the provider belongs to the rules of sync.
 * Groups: `user:…`, and `organization` where its users do not explain it.
 * Threshold: 30 calls in the hour, whose Poisson tail is below 1e-6 against the own baseline of up to 28 days (surprise.ts).
 * Window: the hour.
 * Deduplication: one finding per subject and hour.
 * Severity: MEDIUM, as calls that are allowed harm nobody by themselves.
 * Evidence: calls, what was expected and the probability; and what is new about them: addresses, resources, errors that
 *   28 days have not seen. Novelty alone is no finding, since everything is new once.
 * Reason: a stolen token is seen by what is done with it (https://attack.mitre.org/techniques/T1078/), and an API by what
 *   is taken out of it (https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/). Not a
 *   z-score: regular traffic has no variance, and would be flagged never or always.
 */

import type { Fact } from "./fact.ts";
import { findingOfHour, isIn, listed } from "./make-finding.ts";
import type { Rule, RuleInput } from "./rule.ts";
import { groupBy } from "./sliding-window.ts";
import { type Surprise, surpriseOf } from "./surprise.ts";

const rule = "unusual_api_usage";

/** Decisions: below it nothing is unusual. */
export const LEAST_CALLS = 30;

/** Somebody new is believed to make 60 calls an hour, until two hours have shown better: a first hour may have 100. */
export const CALLS_PRIOR = { calls: 120, hours: 2 } as const;

const CALLS = { prior: CALLS_PRIOR, least: LEAST_CALLS } as const;

/** Ends of runs, and operations against the provider, which have attempts, are nobody's calls. */
const isOfProvider = ({ type, attempts, action }: Fact): boolean =>
  attempts !== undefined ||
  type === "PROVIDER_SYNC_COMPLETED" ||
  type === "PROVIDER_SYNC_FAILED" ||
  action === "require_reconnect";

/** Whether a fact is a call of the API; baselines count these. */
export const isCall = (fact: Fact): boolean => fact.source === "user" && !isOfProvider(fact);

/** What may be new about a call, as `isKnown` is asked. */
export const novelties = ({ ipAddress, action, resourceType, errorCode }: Fact) => [
  { kind: "address" as const, value: ipAddress },
  { kind: "resource" as const, value: action ?? resourceType },
  { kind: "error" as const, value: errorCode },
];

const newIn = (calls: readonly Fact[], isKnown: RuleInput["isKnown"]) => {
  const found = { address: new Set<string>(), resource: new Set<string>(), error: new Set<string>() };
  for (const { kind, value } of calls.flatMap(novelties)) {
    if (value !== undefined && !found[kind].has(value) && !isKnown(kind, value)) found[kind].add(value);
  }
  const { address, resource, error } = found;
  return { newAddresses: listed(address), newResources: listed(resource), newErrors: listed(error) };
};

const PLACES = 1_000;

const findingOf = (
  { hour, isKnown }: RuleInput,
  subject: string,
  calls: readonly Fact[],
  { expected, probability }: Surprise,
  baseline: RuleInput["baseline"],
) =>
  findingOfHour(hour, calls, {
    rule,
    subject,
    title: subject === "organization" ? "Unusually many calls of the API" : "Unusually many calls of the API by a user",
    level: "MEDIUM",
    evidence: {
      count: calls.length,
      expected: Math.round(expected * PLACES) / PLACES,
      probability: Number(probability.toPrecision(3)),
      baselineCalls: baseline.calls,
      baselineHours: Math.round(baseline.hours),
      threshold: LEAST_CALLS,
      windowMs: hour.end - hour.start,
      ...newIn(calls, isKnown),
    },
  });

export const unusualApiUsage: Rule = {
  id: rule,
  version: 1,
  judge: (input) => {
    const { hour, baseline, baselineOfUser } = input;
    const calls = input.facts.filter((fact) => isCall(fact) && isIn(hour, fact.at));
    const suspects = [...groupBy(calls, ({ userId }) => userId)].flatMap(([user, own]) => {
      // Of most users nobody needs to know the baseline.
      if (own.length < LEAST_CALLS) return [];
      const usual = baselineOfUser(user);
      const surprise = surpriseOf(own.length, usual, CALLS);
      return surprise === undefined ? [] : [{ user, own, usual, surprise }];
    });
    const ofUsers = suspects.map(({ user, own, usual, surprise }) =>
      findingOf(input, `user:${user}`, own, surprise, usual),
    );
    const explained = suspects.reduce((sum, { own }) => sum + own.length, 0);
    const surprise = surpriseOf(calls.length, baseline, CALLS);
    const isUnexplained = surpriseOf(calls.length - explained, baseline, CALLS) !== undefined;
    if (surprise === undefined || !isUnexplained) return ofUsers;
    return [...ofUsers, findingOf(input, "organization", calls, surprise, baseline)];
  },
};
