/**
 * Every function that runs without a request, by the name of its file. The stack is built from this table, and
 * docs/architecture.md lists it.
 */
import type { BusEventName } from "./bus-events.ts";
import type { QueueName } from "./queues.ts";

/** Hourly schedules run at different minutes, so that they do not start at the same time. */
export type Trigger =
  | { hourlyAtMinute: number }
  | { everyMinutes: number }
  /** Starts at the deployment and repeats at the interval of a setting (infra/config.ts). */
  | { everyHours: "SYNC_INTERVAL_HOURS" }
  /** Each event starts an invocation. If the event has parts, each part starts one. */
  | { event: BusEventName }
  /**
   * The queue keeps the messages until the function has processed them. `maxConcurrency`: the most batches at once, as a
   * number (2 to 1,000) or as a setting; without a bound, a full queue would take all of the account's concurrency.
   * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  | { queueOf: QueueName; batchSize: number; maxConcurrency: number | "webhookConcurrency" };

export type BackgroundFunction = {
  /** The folder of the function. */
  subject:
    | "security"
    | "completeness"
    | "sync"
    | "webhooks"
    | "detection"
    | "reports"
    | "erasure"
    | "exports"
    | "notifications";
  description: string;
  timeoutSeconds: number;
  triggers: readonly Trigger[];
  /** The stack has the function only if one of these settings of the deployment is given or on (infra/config.ts). */
  onlyWith?: readonly ("siemFeed" | "archiveMonths" | "emailSender")[];
};

export const backgroundFunctions = {
  "dispatch-detection": {
    subject: "detection",
    description: "Requests detection for the hours that have not been judged",
    timeoutSeconds: 900,
    // Runs when the events of the last hour can be read, and before close-security-hours: an hour that is judged by
    // then needs no due mark. Many organizations are spread over half an hour.
    triggers: [{ hourlyAtMinute: 6 }, { event: "DetectionDispatchContinued" }],
  },
  "close-security-hours": {
    subject: "security",
    description: "Closes the past hours of security events and stores their counts",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 41 }, { event: "HourClosingContinued" }],
  },
  "sweep-alert-outbox": {
    subject: "security",
    description: "Publishes changes of alerts and circuits that were not published",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 16 }],
  },
  "run-drills": {
    subject: "security",
    description: "Carries out fire drills of the alarms, and starts monthly ones",
    timeoutSeconds: 120,
    // A drill whose worker was lost goes on before its ten minutes are over.
    triggers: [{ everyMinutes: 4 }, { event: "DrillRequested" }],
  },
  "seal-security-hours": {
    subject: "security",
    description: "Seals the hours of security events, and signs the log of what is sealed",
    timeoutSeconds: 900,
    // After the closing of hours has begun, and before their objects are written, which have the leaves' indexes.
    triggers: [{ hourlyAtMinute: 43 }, { event: "SealingContinued" }],
  },
  "write-siem-feed": {
    subject: "security",
    description: "Writes the events of closed hours to the bucket for a SIEM and to the archive",
    timeoutSeconds: 300,
    // After the closing of hours has begun, which finds most hours within seconds.
    triggers: [{ hourlyAtMinute: 46 }, { event: "SiemFeedContinued" }],
    onlyWith: ["siemFeed", "archiveMonths"],
  },
  "sum-security-days": {
    subject: "completeness",
    description: "Sums the security events of the days that are over, and verifies a sample and all checkpoints",
    timeoutSeconds: 900,
    // A day is over for three hours. Apart from the work on hours, whose numbers differ while it is under way.
    triggers: [{ hourlyAtMinute: 11 }],
  },
  "resume-stalled-syncs": {
    subject: "sync",
    description: "Requests a worker for sync runs without one, scheduled runs that were lost, and proofs of API keys",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 21 }],
  },
  "hand-over-webhooks": {
    subject: "webhooks",
    description: "Publishes webhook events that are still in the outbox",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 26 }],
  },
  "dispatch-reports": {
    subject: "reports",
    description: "Requests the reports that are due",
    timeoutSeconds: 900,
    triggers: [{ hourlyAtMinute: 31 }],
  },
  "resume-erasures": {
    subject: "erasure",
    description: "Requests a worker for erasures without one",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 36 }],
  },
  "resume-exports": {
    subject: "exports",
    description: "Requests a worker for exports and previews without one, and for files to delete",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 51 }],
  },
  "dispatch-syncs": {
    subject: "sync",
    description: "Requests a sync run of each connected organization",
    timeoutSeconds: 900,
    triggers: [{ everyHours: "SYNC_INTERVAL_HOURS" }, { event: "SyncDispatchContinued" }],
  },
  "run-sync": {
    subject: "sync",
    description: "Works on sync runs, and proves API keys",
    timeoutSeconds: 300,
    triggers: [{ event: "SyncRequested" }],
  },
  "detect-organization": {
    subject: "detection",
    description: "Applies the detection rules to hours of an organization",
    timeoutSeconds: 300,
    triggers: [{ event: "DetectionDue" }],
  },
  "run-preview": {
    subject: "detection",
    description: "Judges past hours again for previews of rules and mutes",
    timeoutSeconds: 300,
    triggers: [{ event: "PreviewRequested" }],
  },
  "make-reports": {
    subject: "reports",
    description: "Makes a report that is due",
    timeoutSeconds: 300,
    triggers: [{ event: "ReportDue" }],
  },
  "run-erasure": {
    subject: "erasure",
    description: "Works on erasures",
    timeoutSeconds: 300,
    triggers: [{ event: "ErasureRequested" }],
  },
  "run-export": {
    subject: "exports",
    description: "Writes the files of exports, and deletes them",
    // A complete file is read back without a hand-over.
    timeoutSeconds: 900,
    triggers: [{ event: "ExportRequested" }],
  },
  "process-webhook": {
    subject: "webhooks",
    description: "Applies the events of webhooks to the records",
    // Five times the limit of an operation of the provider. The messages of a batch are processed at the same time.
    timeoutSeconds: 60,
    triggers: [{ queueOf: "WebhookReceived", batchSize: 5, maxConcurrency: "webhookConcurrency" }],
  },
  "restore-security-events": {
    subject: "security",
    description: "Records security events that could not be recorded when they happened",
    timeoutSeconds: 30,
    triggers: [{ queueOf: "SecurityEventNotRecorded", batchSize: 10, maxConcurrency: 2 }],
  },
  "dispatch-notifications": {
    subject: "notifications",
    description: "Makes the notifications of changed alerts and new reports",
    timeoutSeconds: 30,
    // A storm's notifications change the same items, so more batches at once would only wait for each other.
    triggers: [{ queueOf: "AlertsToNotify", batchSize: 10, maxConcurrency: 5 }],
  },
  "apply-mail-feedback": {
    subject: "notifications",
    description: "Applies bounces and complaints of mails to their destinations",
    timeoutSeconds: 30,
    triggers: [{ queueOf: "MailFeedback", batchSize: 10, maxConcurrency: 2 }],
    onlyWith: ["emailSender"],
  },
  "end-mutes": {
    subject: "notifications",
    description: "Ends mutes and their weekly spans, and sends what they have hidden",
    timeoutSeconds: 120,
    // What a mute has hidden is sent within five minutes of its end.
    triggers: [{ everyMinutes: 4 }],
  },
  "send-notifications": {
    subject: "notifications",
    description: "Sends notifications to their destinations",
    // A try takes 10 s at most. The messages of a batch are processed at the same time.
    timeoutSeconds: 60,
    triggers: [{ queueOf: "NotificationsToSend", batchSize: 5, maxConcurrency: 20 }],
  },
} as const satisfies Record<string, BackgroundFunction>;

export type BackgroundFunctionName = keyof typeof backgroundFunctions;

/** Every background function with its name. */
export const allBackgroundFunctions = Object.entries(backgroundFunctions) as [
  BackgroundFunctionName,
  BackgroundFunction,
][];
