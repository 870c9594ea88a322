/** Findings of detection. Each raises an alert, which shows the finding until an operator resolves the alert. */
import * as z from "zod/mini";
import { epochMs } from "../../json/number-fields.ts";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import { type Alert, Evidence } from "./alert.ts";
import type { Attack } from "./attack.ts";

/** The rules of detection that judge facts. */
export const findingRules = [
  "repeated_auth_failures",
  "unusual_api_usage",
  "rate_limit_violations",
  "permission_escalation",
  "abnormal_sync_frequency",
  "sync_silence",
  "system_errors",
  "policy_violation",
  "performance_degradation",
  "card_testing",
  "refund_burst",
  "dispute_rise",
  "early_fraud_warning",
] as const;
export type FindingRule = (typeof findingRules)[number];

/** Of findings about the stored key of a connection. */
export const KEY_RULE = "connection_key";

/** The rules over the account's activity at the provider (shared/detection/account/). */
export const accountRules = [
  "key_made_by_stranger",
  "key_seen_then_refused",
  "payout_after_access",
  "access_burst",
  "endpoint_tampered",
] as const;
export type AccountRule = (typeof accountRules)[number];

/** All built-in rules: an organization may change their settings. */
export const builtInRules = [...findingRules, ...accountRules, KEY_RULE] as const;
export type BuiltInRule = (typeof builtInRules)[number];

/** The rule of the alerts of an organization's own rule. */
export type CustomRuleName = `custom_${string}`;

/** @param id of the own rule (shared/detection/custom-rules/). */
export const customRuleName = (id: string): CustomRuleName => `custom_${id}`;

export const isCustomRule = (rule: string): rule is CustomRuleName => rule.startsWith("custom_");

/** What detection found. `firstSeen` and `lastSeen` are the times of the evidence, epoch ms. */
export type Finding = {
  rule: BuiltInRule | CustomRuleName;
  subject: string;
  title: string;
  level: RiskLevel;
  message?: string;
  /** Identifies the finding by its hour or event: the same finding counts once. Later findings sort after earlier ones. */
  occurrence: string;
  eventIds: readonly string[];
  evidence: { readonly count: number; readonly [detail: string]: unknown };
  firstSeen: number;
  lastSeen: number;
  /** Of a rule that is not built in; attack-by-rule.ts has those of the others. */
  attack?: readonly Attack[];
};

/** An unresolved finding as GET …/security returns it. */
export const SuspiciousActivity = z
  .object({
    alertId: z.string(),
    rule: z.string(),
    subject: z.string(),
    evidence: z.extend(Evidence, { eventIds: z.array(z.string()) }),
    firstSeen: epochMs(),
    lastSeen: epochMs(),
  })
  .register(z.globalRegistry, { id: "SuspiciousActivity", description: "An unresolved finding of detection." });
export type SuspiciousActivity = z.output<typeof SuspiciousActivity>;

/** The suspicious activity that a finding's alert shows. */
export const suspiciousActivityOf = ({ id, rule, subject, evidence, ...alert }: Alert): SuspiciousActivity => ({
  alertId: id,
  rule,
  subject,
  evidence: { count: alert.count, ...evidence, eventIds: alert.eventIds },
  firstSeen: alert.firstSeen,
  lastSeen: alert.lastSeen,
});
