/** Findings of detection. Each raises an alert, which is what shows it until somebody resolves it. */
import * as z from "zod/mini";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import { sanitiseMetadata, sanitiseText } from "../redaction/redact-and-cut.ts";
import { type Alert, Evidence, MAX_EVENT_IDS } from "./alert.ts";
import type { Raising } from "./alert-raiser.ts";

/** The rules of detection. */
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
] as const;
export type FindingRule = (typeof findingRules)[number];

/** What detection found. `firstSeen` and `lastSeen` are the times of the evidence in epoch ms. */
export type Finding = {
  rule: FindingRule;
  subject: string;
  title: string;
  level: RiskLevel;
  message?: string;
  /** Names the finding, so that the same one is not counted twice: its hour or its event. Later ones sort after it. */
  occurrence: string;
  eventIds: readonly string[];
  evidence: { readonly count: number; readonly [detail: string]: unknown };
  firstSeen: number;
  lastSeen: number;
};

const TITLE_MAX_CHARACTERS = 256;
const MESSAGE_MAX_CHARACTERS = 1_024;

/** The raising of a finding's alert: redacted and cut, its newest events kept. */
export const raisingOfFinding = ({ evidence: { count, ...details }, ...finding }: Finding): Raising => ({
  ...finding,
  kind: "finding",
  title: sanitiseText(finding.title, TITLE_MAX_CHARACTERS),
  ...(finding.message !== undefined && { message: sanitiseText(finding.message, MESSAGE_MAX_CHARACTERS) }),
  eventIds: [...finding.eventIds].sort().slice(-MAX_EVENT_IDS),
  evidence: { count, details: sanitiseMetadata(details) },
});

/** An unresolved finding as it is returned. */
export const SuspiciousActivity = z
  .object({
    alertId: z.string(),
    rule: z.string(),
    subject: z.string(),
    evidence: z.extend(Evidence, { eventIds: z.array(z.string()) }),
    firstSeen: Evidence.shape.count,
    lastSeen: Evidence.shape.count,
  })
  .register(z.globalRegistry, { id: "SuspiciousActivity", description: "A finding that nobody has resolved yet." });
export type SuspiciousActivity = z.output<typeof SuspiciousActivity>;

/** What the alert of a finding says as suspicious activity. */
export const suspiciousActivityOf = ({ id, rule, subject, evidence, ...alert }: Alert): SuspiciousActivity => ({
  alertId: id,
  rule,
  subject,
  evidence: { count: alert.count, ...evidence, eventIds: alert.eventIds },
  firstSeen: alert.firstSeen,
  lastSeen: alert.lastSeen,
});
