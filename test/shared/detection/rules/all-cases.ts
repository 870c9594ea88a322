import { abnormalSyncFrequencyCases } from "./abnormal-sync-frequency.cases.ts";
import { cardTestingCases } from "./card-testing.cases.ts";
import type { Cases } from "./case.ts";
import { disputeRiseCases } from "./dispute-rise.cases.ts";
import { earlyFraudWarningCases } from "./early-fraud-warning.cases.ts";
import { performanceDegradationCases } from "./performance-degradation.cases.ts";
import { permissionEscalationCases } from "./permission-escalation.cases.ts";
import { policyViolationCases } from "./policy-violation.cases.ts";
import { rateLimitViolationsCases } from "./rate-limit-violations.cases.ts";
import { refundBurstCases } from "./refund-burst.cases.ts";
import { repeatedAuthFailuresCases } from "./repeated-auth-failures.cases.ts";
import { syncSilenceCases } from "./sync-silence.cases.ts";
import { systemErrorsCases } from "./system-errors.cases.ts";
import { unusualApiUsageCases } from "./unusual-api-usage.cases.ts";

export const allCases: readonly Cases[] = [
  repeatedAuthFailuresCases,
  unusualApiUsageCases,
  rateLimitViolationsCases,
  permissionEscalationCases,
  abnormalSyncFrequencyCases,
  syncSilenceCases,
  systemErrorsCases,
  policyViolationCases,
  performanceDegradationCases,
  cardTestingCases,
  refundBurstCases,
  disputeRiseCases,
  earlyFraudWarningCases,
];
