/**
 * Judges an hour of one organization by all rules. Pure: the same facts give the same findings, in whatever order they
 * come and however often. docs/detection.md.
 */
import type { Finding } from "../security/alerts/finding.ts";
import { abnormalSyncFrequency } from "./rules/abnormal-sync-frequency.ts";
import type { Fact } from "./rules/fact.ts";
import { permissionEscalation } from "./rules/permission-escalation.ts";
import { policyViolation } from "./rules/policy-violation.ts";
import { rateLimitViolations } from "./rules/rate-limit-violations.ts";
import { repeatedAuthFailures } from "./rules/repeated-auth-failures.ts";
import type { Rule, RuleInput } from "./rules/rule.ts";
import { syncSilence } from "./rules/sync-silence.ts";
import { systemErrors } from "./rules/system-errors.ts";
import { unusualApiUsage } from "./rules/unusual-api-usage.ts";

/** The rules that judge hours. That performance degrades is found when it does (rules/performance-degradation.ts). */
export const hourlyRules: readonly Rule[] = [
  repeatedAuthFailures,
  unusualApiUsage,
  rateLimitViolations,
  permissionEscalation,
  abnormalSyncFrequency,
  syncSilence,
  systemErrors,
  policyViolation,
];

/** Each rule carries so many facts into the next hour at most, the newest; a flood of one rule's costs no other's. */
export const MAX_CARRIED_PER_RULE = 100;

/** `facts`: the hour's own. `carried`: what judging the hour before gave; nothing where it was not judged. */
export type HourInput = Omit<RuleInput, "facts"> & { facts: readonly Fact[]; carried: readonly Fact[] };

/** `findings` by rule, then subject. `carried`: for judging the next hour, in order of time. */
export type JudgedHour = { findings: Finding[]; carried: Fact[] };

const inOrder = (facts: Iterable<Fact>): Fact[] => {
  const byId = new Map<string, Fact>();
  for (const fact of facts) byId.set(fact.id, fact);
  return [...byId.values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
};

const orderOf = ({ rule, subject }: Finding): string => `${rule} ${subject}`;

/** @param rules all of them, or those of a back-test. */
export const judgeHour = (
  { facts, carried, ...known }: HourInput,
  rules: readonly Rule[] = hourlyRules,
): JudgedHour => {
  const input: RuleInput = { ...known, facts: inOrder([...carried, ...facts]) };
  const findings = rules.flatMap((rule) => rule.judge(input));
  return {
    findings: findings.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)),
    carried: inOrder(rules.flatMap((rule) => rule.carries?.(input).slice(-MAX_CARRIED_PER_RULE) ?? [])),
  };
};
