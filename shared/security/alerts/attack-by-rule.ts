/** The techniques of MITRE ATT&CK that the findings of each built-in rule are signs of. Pure. */
import type { Attack } from "./attack.ts";
import type { BuiltInRule } from "./finding.ts";

export const attackByRule: Readonly<Record<BuiltInRule, readonly Attack[]>> = {
  // Credential Access: brute force, password spraying.
  repeated_auth_failures: [
    { tactic: "TA0006", technique: "T1110" },
    { tactic: "TA0006", technique: "T1110.003" },
  ],
  // Initial Access by a valid account; Collection from information repositories.
  unusual_api_usage: [
    { tactic: "TA0001", technique: "T1078" },
    { tactic: "TA0009", technique: "T1213" },
  ],
  // Impact: denial of service.
  rate_limit_violations: [{ tactic: "TA0040", technique: "T1499" }],
  // Privilege Escalation by a valid account; Discovery of permission groups.
  permission_escalation: [
    { tactic: "TA0004", technique: "T1078" },
    { tactic: "TA0007", technique: "T1069" },
  ],
  // Collection by a script; Impact.
  abnormal_sync_frequency: [
    { tactic: "TA0009", technique: "T1119" },
    { tactic: "TA0040", technique: "T1499" },
  ],
  // Impact: a service was stopped.
  sync_silence: [{ tactic: "TA0040", technique: "T1489" }],
  system_errors: [{ tactic: "TA0040", technique: "T1499" }],
  // Initial Access by a valid account.
  policy_violation: [{ tactic: "TA0001", technique: "T1078" }],
  // Impact: denial of service over the network.
  performance_degradation: [{ tactic: "TA0040", technique: "T1498" }],
  // Persistence by additional credentials.
  key_made_by_stranger: [{ tactic: "TA0003", technique: "T1098.001" }],
  // Credential Access: credentials in the open.
  key_seen_then_refused: [{ tactic: "TA0006", technique: "T1552" }],
  // Impact: financial theft.
  payout_after_access: [{ tactic: "TA0040", technique: "T1657" }],
  // Persistence by a changed account.
  access_burst: [{ tactic: "TA0003", technique: "T1098" }],
  // Defense Evasion: impaired defenses.
  endpoint_tampered: [{ tactic: "TA0005", technique: "T1562" }],
  // Initial Access by a valid account of the cloud: what the key allows is what a thief may do.
  connection_key: [{ tactic: "TA0001", technique: "T1078.004" }],
  // Impact: financial theft, by cards that were stolen before, tried by programs.
  card_testing: [{ tactic: "TA0040", technique: "T1657" }],
  refund_burst: [{ tactic: "TA0040", technique: "T1657" }],
  dispute_rise: [{ tactic: "TA0040", technique: "T1657" }],
  early_fraud_warning: [{ tactic: "TA0040", technique: "T1657" }],
};

const isBuiltIn = (rule: string): rule is BuiltInRule => Object.hasOwn(attackByRule, rule);

/** What a rule's alerts are signs of; undefined for a rule that is not built in. */
export const attackOf = (rule: string): readonly Attack[] | undefined =>
  isBuiltIn(rule) ? attackByRule[rule] : undefined;
