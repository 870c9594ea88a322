/** Each way in which work is handed over (docs/operations.md, "When work is given up"), with the work that is given up. */
import type { ChooseFault } from "../fault-plan.ts";
import type { WorkerCaseName } from "./worker-cases.ts";

/** `failing`: the faults until the work is given up. */
type GivenUp = { work: WorkerCaseName; failing: ChooseFault };

const all: ChooseFault = ({ service }) => (service === "provider" ? undefined : "500");

/** The bus takes no events of this type. */
const eventsOf =
  (type: string): ChooseFault =>
  ({ service, resource }) =>
    service === "events" && resource.includes(type) ? "500" : undefined;

export const givenUpWork: Readonly<Record<string, GivenUp>> = {
  "schedule → dispatch-detection": { work: "dispatch-detection", failing: all },
  "schedule → close-security-hours": { work: "close-security-hours", failing: all },
  "schedule → seal-security-hours": { work: "seal-security-hours", failing: all },
  "schedule → sum-security-days": { work: "sum-security-days", failing: all },
  "schedule → write-siem-feed": { work: "write-siem-feed", failing: all },
  "schedule → end-mutes": { work: "end-mutes", failing: all },
  "schedule → sweep-alert-outbox": { work: "sweep-alert-outbox", failing: all },
  "schedule → resume-stalled-syncs": { work: "resume-stalled-syncs", failing: all },
  "schedule → hand-over-webhooks": { work: "hand-over-webhooks", failing: all },
  "schedule → dispatch-reports": { work: "dispatch-reports", failing: all },
  "schedule → resume-erasures": { work: "resume-erasures", failing: all },
  "schedule → resume-exports": { work: "resume-exports", failing: all },
  "schedule → dispatch-syncs": { work: "dispatch-syncs", failing: all },
  "SyncDispatchContinued → dispatch-syncs": { work: "dispatch-syncs, continued", failing: all },
  "SyncRequested → run-sync": { work: "run-sync, incremental", failing: all },
  "DetectionDue → detect-organization": { work: "detect-organization", failing: all },
  "DetectionDispatchContinued → dispatch-detection": { work: "dispatch-detection, continued", failing: all },
  "ReportDue → make-reports": { work: "make-reports", failing: all },
  "ErasureRequested → run-erasure": { work: "run-erasure, all", failing: all },
  "ExportRequested → run-export": { work: "run-export", failing: all },
  "PreviewRequested → run-preview": { work: "run-preview", failing: all },
  "schedule → run-drills": { work: "run-drills, scheduled", failing: all },
  "DrillRequested → run-drills": { work: "run-drills", failing: all },
  "HourClosingContinued → close-security-hours": { work: "close-security-hours, continued", failing: all },
  "SealingContinued → seal-security-hours": { work: "seal-security-hours, continued", failing: all },
  "SiemFeedContinued → write-siem-feed": { work: "write-siem-feed, continued", failing: all },
  "WebhookReceived → queue → process-webhook": { work: "process-webhook", failing: all },
  "SecurityEventNotRecorded → queue → restore-security-events": { work: "restore-security-events", failing: all },
  "SecurityAlertChanged → queue → dispatch-notifications": { work: "dispatch-notifications", failing: all },
  "ReportMade → queue → dispatch-notifications": { work: "dispatch-notifications, report", failing: all },
  "Email Bounced → queue → apply-mail-feedback": { work: "apply-mail-feedback", failing: all },
  "Email Complaint Received → queue → apply-mail-feedback": { work: "apply-mail-feedback, complaint", failing: all },
  "EscalationDue → queue → dispatch-notifications": { work: "dispatch-notifications", failing: all },
  "CircuitChanged → subscribers": { work: "sweep-alert-outbox", failing: eventsOf("CircuitChanged") },
  "SecurityAlertChanged → subscribers": { work: "sweep-alert-outbox", failing: eventsOf("SecurityAlertChanged") },
};
