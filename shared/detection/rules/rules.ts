/**
 * The list of rules, and the judging of an hour by them. Other folders import rules from here only, and types from
 * rule.ts. docs/detection.md.
 */
import type { HourCounts } from "../../money/money-counts.ts";
import type { BuiltInRule, Finding, FindingRule } from "../../security/alerts/finding.ts";
import type { Lacks } from "../../terms/lacks.ts";
import { accountKinds } from "../account/account-kinds.ts";
import { type Fact, inOrder, isCall } from "../evidence/fact.ts";
import { createVisibility } from "../evidence/known.ts";
import type { FraudWarning, MoneyInput } from "../evidence/money.ts";
import { type RulesSettings, settingsOf, withLevel } from "../rule-settings.ts";
import { abnormalSyncFrequency, abnormalSyncFrequencyAdvice } from "./abnormal-sync-frequency.ts";
import { cardTesting, cardTestingAdvice } from "./card-testing.ts";
import { disputeRise, disputeRiseAdvice } from "./dispute-rise.ts";
import { earlyFraudWarning, earlyFraudWarningAdvice } from "./early-fraud-warning.ts";
import { performanceDegradation, performanceDegradationAdvice } from "./performance-degradation.ts";
import { permissionEscalation, permissionEscalationAdvice } from "./permission-escalation.ts";
import { policyViolation, policyViolationAdvice } from "./policy-violation.ts";
import { rateLimitViolations, rateLimitViolationsAdvice } from "./rate-limit-violations.ts";
import { refundBurst, refundBurstAdvice } from "./refund-burst.ts";
import { repeatedAuthFailures, repeatedAuthFailuresAdvice } from "./repeated-auth-failures.ts";
import type { Advice, FindingKind, Rule, RuleInput, RuleNeeds } from "./rule.ts";
import { SILENT_INTERVALS, syncSilence, syncSilenceAdvice } from "./sync-silence.ts";
import { systemErrors, systemErrorsAdvice, systemFailures } from "./system-errors.ts";
import { type Thresholds, type ThresholdValues, valuesOf } from "./thresholds.ts";
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

/** The rules that judge an hour's money. */
export const moneyRules: readonly (Rule & Required<Pick<Rule, "needs" | "judgeMoney">>)[] = [
  cardTesting,
  refundBurst,
  disputeRise,
];

/** All rules. Marked as pure, so that the bundles of hourly detection leave out the others. */
export const rules: readonly Rule[] = /* @__PURE__ */ hourlyRules.concat(
  performanceDegradation,
  moneyRules,
  earlyFraudWarning,
);

const accountThresholds: Partial<Record<BuiltInRule, { thresholds: Thresholds }>> = accountKinds;

const thresholdsOf = (name: BuiltInRule): Thresholds =>
  (rules.find(({ id }) => id === name) ?? accountThresholds[name])?.thresholds ?? {};

/** The kinds of a rule's findings. */
export const kindsOf = (name: FindingRule): Readonly<Record<string, FindingKind>> =>
  rules.find(({ id }) => id === name)?.kinds ?? {};

/** The thresholds of a rule with the values in force. @param set those that the organization has set. */
export const describeThresholds = (name: BuiltInRule, set: ThresholdValues) => {
  const thresholds = thresholdsOf(name);
  const values = valuesOf(thresholds, set);
  return Object.fromEntries(
    Object.entries(thresholds).map(([threshold, spec]) => [
      threshold,
      { value: values[threshold] ?? spec.default, ...spec },
    ]),
  );
};

const keyAdvice: Advice = {
  level: "HIGH",
  action: "Store a restricted key, with the permissions that the setup lists, in place of the present one.",
};

/** Marked as pure, so that only the bundles of reports contain it. */
const advice = /* @__PURE__ */ (() =>
  ({
    repeated_auth_failures: repeatedAuthFailuresAdvice,
    unusual_api_usage: unusualApiUsageAdvice,
    rate_limit_violations: rateLimitViolationsAdvice,
    permission_escalation: permissionEscalationAdvice,
    abnormal_sync_frequency: abnormalSyncFrequencyAdvice,
    sync_silence: syncSilenceAdvice,
    system_errors: systemErrorsAdvice,
    policy_violation: policyViolationAdvice,
    performance_degradation: performanceDegradationAdvice,
    card_testing: cardTestingAdvice,
    refund_burst: refundBurstAdvice,
    dispute_rise: disputeRiseAdvice,
    early_fraud_warning: earlyFraudWarningAdvice,
    key_made_by_stranger: accountKinds.key_made_by_stranger,
    key_seen_then_refused: accountKinds.key_seen_then_refused,
    payout_after_access: accountKinds.payout_after_access,
    access_burst: accountKinds.access_burst,
    endpoint_tampered: accountKinds.endpoint_tampered,
    connection_key: keyAdvice,
  }) satisfies Partial<Record<BuiltInRule, Advice>>)();

true satisfies Lacks<BuiltInRule, keyof typeof advice, "to advice in shared/detection/rules/rules.ts">;

// The line above checks that it is complete. An assertion, so that nothing else fails to compile if it is not.
export const adviceByRule = advice as Readonly<Record<BuiltInRule, Advice>>;

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

/** The least of a need over the hourly rules that are on: below that, nothing is read. */
export const leastNeed = (need: Exclude<keyof RuleNeeds, "money">, settings: RulesSettings = {}): number =>
  Math.min(
    ...hourlyRules.map(({ id, needs }) => {
      const { enabled, thresholds } = settingsOf(settings, id);
      return (enabled && needs?.(thresholds)[need]) || Number.POSITIVE_INFINITY;
    }),
  );

/**
 * The facts that are counted into the baselines of calls and operations: the calls and operations that the rules which
 * compare with them see. A known network must not raise the bar for the others.
 */
export const countedFacts = (facts: readonly Fact[], settings: RulesSettings): readonly Fact[] => {
  const calls = createVisibility(settingsOf(settings, "unusual_api_usage").known);
  const operations = createVisibility(settingsOf(settings, "performance_degradation").known);
  return facts.filter((fact) => (isCall(fact) ? calls : operations).isVisible(fact));
};

/** Each rule carries at most this many facts into the next hour, the newest: a flood for one rule costs no other. */
export const MAX_CARRIED_PER_RULE = 100;

/** `facts`: those of the hour. `carried`: what judging the hour before returned; empty if it was not judged. */
export type HourInput = Omit<RuleInput, "facts"> & { facts: readonly Fact[]; carried: readonly Fact[] };

/** `findings` by rule, then subject. `carried`: for judging the next hour, in order of time. */
export type JudgedHour = { findings: Finding[]; carried: Fact[] };

const orderOf = ({ rule, subject }: Finding): string => `${rule} ${subject}`;

/** The hour as one rule with its settings judges it. */
const judgeByRule = (rule: Rule, input: RuleInput, settings: RulesSettings): JudgedHour => {
  const { enabled, level, thresholds, known } = settingsOf(settings, rule.id);
  if (!enabled) return { findings: [], carried: [] };
  const visible = createVisibility(known);
  const seen = { ...input, facts: visible.facts(input.facts), runs: visible.runs(input.runs, input.facts) };
  const findings = rule.judge?.(seen, thresholds) ?? [];
  return {
    findings: findings.map((finding) => withLevel(finding, level)),
    carried: rule.carries?.(seen, thresholds).slice(-MAX_CARRIED_PER_RULE) ?? [],
  };
};

/**
 * Judges an hour of a scope. Pure: the same facts give the same findings, in any order and however often they come.
 * @param by all hourly rules, or those of a back-test.
 * @param settings the organization's.
 */
export const judgeHour = (
  { facts, carried, ...others }: HourInput,
  by: readonly Rule[] = hourlyRules,
  settings: RulesSettings = {},
): JudgedHour => {
  const input: RuleInput = { ...others, facts: inOrder([...carried, ...facts]) };
  const judged = by.map((rule) => judgeByRule(rule, input, settings));
  const findings = judged.flatMap((one) => one.findings);
  // Facts are carried whole: a rule may see only a part of one, and the next hour's settings may differ.
  const carriedIds = new Set(judged.flatMap((one) => one.carried.map(({ id }) => id)));
  return {
    findings: findings.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)),
    carried: input.facts.filter(({ id }) => carriedIds.has(id)),
  };
};

/** Whether the rules that are on need to know what came before an hour with these counts. */
export const needsMoneyHistory = (counts: HourCounts, settings: RulesSettings): boolean =>
  moneyRules.some(({ id, needs }) => {
    const { enabled, thresholds } = settingsOf(settings, id);
    const least = needs(thresholds).money ?? {};
    return (
      enabled && (["failed", "refunds", "disputes"] as const).some((one) => counts[one] >= (least[one] ?? Infinity))
    );
  });

/** The findings of an hour's money. Pure. @param settings the organization's. */
export const judgeMoneyHour = (input: MoneyInput, settings: RulesSettings = {}): Finding[] =>
  moneyRules.flatMap(({ id, judgeMoney }) => {
    const { enabled, level, thresholds } = settingsOf(settings, id);
    const finding = enabled ? judgeMoney(input, thresholds) : undefined;
    return finding === undefined ? [] : [withLevel(finding, level)];
  });

/** The finding of an early fraud warning; undefined while the rule is off. Pure. */
export const judgeFraudWarning = (warning: FraudWarning, settings: RulesSettings = {}): Finding | undefined => {
  const { enabled, level, thresholds } = settingsOf(settings, earlyFraudWarning.id);
  return enabled ? withLevel(earlyFraudWarning.judgeWarning(warning, thresholds), level) : undefined;
};
