/**
 * The list of rules, and the judging of an hour by them. Other folders import rules from here only, and types from
 * rule.ts. docs/detection.md.
 */
import type { Finding, FindingRule } from "../../security/alerts/finding.ts";
import type { Lacks } from "../../terms/lacks.ts";
import { type Fact, inOrder } from "../evidence/fact.ts";
import { abnormalSyncFrequency, abnormalSyncFrequencyAdvice } from "./abnormal-sync-frequency.ts";
import { performanceDegradation, performanceDegradationAdvice } from "./performance-degradation.ts";
import { permissionEscalation, permissionEscalationAdvice } from "./permission-escalation.ts";
import { policyViolation, policyViolationAdvice } from "./policy-violation.ts";
import { rateLimitViolations, rateLimitViolationsAdvice } from "./rate-limit-violations.ts";
import { repeatedAuthFailures, repeatedAuthFailuresAdvice } from "./repeated-auth-failures.ts";
import type { Advice, Rule, RuleInput, RuleNeeds } from "./rule.ts";
import { SILENT_INTERVALS, syncSilence, syncSilenceAdvice } from "./sync-silence.ts";
import { systemErrors, systemErrorsAdvice, systemFailures } from "./system-errors.ts";
import { unusualApiUsage, unusualApiUsageAdvice } from "./unusual-api-usage.ts";

/** The rules that judge hours. */
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

/** All rules. Marked as pure, so that the bundles of hourly detection leave out the others. */
export const rules: readonly Rule[] = /* @__PURE__ */ hourlyRules.concat(performanceDegradation);

const advice = {
  repeated_auth_failures: repeatedAuthFailuresAdvice,
  unusual_api_usage: unusualApiUsageAdvice,
  rate_limit_violations: rateLimitViolationsAdvice,
  permission_escalation: permissionEscalationAdvice,
  abnormal_sync_frequency: abnormalSyncFrequencyAdvice,
  sync_silence: syncSilenceAdvice,
  system_errors: systemErrorsAdvice,
  policy_violation: policyViolationAdvice,
  performance_degradation: performanceDegradationAdvice,
} satisfies Partial<Record<FindingRule, Advice>>;

true satisfies Lacks<FindingRule, keyof typeof advice, "to advice in shared/detection/rules/rules.ts">;

// The line above checks that it is complete. An assertion, so that nothing else fails to compile if it is not.
export const adviceByRule = advice as Readonly<Record<FindingRule, Advice>>;

// The rules that functions other than the hourly ones use, apart, so that their bundles contain no other rules.

/** Judge refused requests at once. */
export const refusalRules: readonly (Rule & Required<Pick<Rule, "judgeRefusal">>)[] = [
  permissionEscalation,
  policyViolation,
];
/** Judges failures of the store and the bus at once. */
export const failureJudge = systemFailures;
/** Judges the latency of operations at once. */
export const latencyRule = performanceDegradation;
/** Hours without events are judged once no run has succeeded for this many sync intervals. */
export const silentIntervals = SILENT_INTERVALS;

/** The least of a need over the hourly rules: below that, nothing is read. */
export const leastNeed = (need: keyof RuleNeeds): number =>
  Math.min(...hourlyRules.map(({ needs = {} }) => needs[need] ?? Number.POSITIVE_INFINITY));

/** Each rule carries at most this many facts into the next hour, the newest: a flood for one rule costs no other. */
export const MAX_CARRIED_PER_RULE = 100;

/** `facts`: those of the hour. `carried`: what judging the hour before returned; empty if it was not judged. */
export type HourInput = Omit<RuleInput, "facts"> & { facts: readonly Fact[]; carried: readonly Fact[] };

/** `findings` by rule, then subject. `carried`: for judging the next hour, in order of time. */
export type JudgedHour = { findings: Finding[]; carried: Fact[] };

const orderOf = ({ rule, subject }: Finding): string => `${rule} ${subject}`;

/**
 * Judges an hour of a scope. Pure: the same facts give the same findings, in any order and however often they come.
 * @param by all hourly rules, or those of a back-test.
 */
export const judgeHour = ({ facts, carried, ...others }: HourInput, by: readonly Rule[] = hourlyRules): JudgedHour => {
  const input: RuleInput = { ...others, facts: inOrder([...carried, ...facts]) };
  const findings = by.flatMap((rule) => rule.judge?.(input) ?? []);
  return {
    findings: findings.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)),
    carried: inOrder(by.flatMap((rule) => rule.carries?.(input).slice(-MAX_CARRIED_PER_RULE) ?? [])),
  };
};
