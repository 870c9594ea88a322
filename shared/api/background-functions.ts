/**
 * Every function that runs without a request, by the name of its file. The stack is built from this table, and
 * docs/architecture.md shows it.
 */
import type { BusEventName } from "./bus-events.ts";

/** Hourly schedules run at different minutes, so that they do not start at the same time. */
export type Trigger =
  | { hourlyAtMinute: number }
  /** From the deployment on, at the interval of a setting (infra/config.ts). */
  | { everyHours: "SYNC_INTERVAL_HOURS" }
  /** Each event starts an invocation; if the event has parts, each part does. */
  | { event: BusEventName }
  /** The queue keeps the events until the function has processed them. */
  | { queueOf: BusEventName; batchSize: number };

export type FunctionAlarm =
  /** No invocation has succeeded for so many hours in a row. */
  | { id: string; silentHours: number; description: string }
  /** An invocation failed. */
  | { id: string; onErrors: true; description: string };

export type BackgroundFunction = {
  /** The folder of the function. */
  subject: "security" | "sync" | "webhooks" | "detection" | "reports" | "erasure";
  description: string;
  timeoutSeconds: number;
  triggers: readonly Trigger[];
  alarm?: FunctionAlarm;
};

export const backgroundFunctions = {
  "dispatch-detection": {
    subject: "detection",
    description: "Asks for detection in the hours that nobody has judged",
    timeoutSeconds: 900,
    // After the events of the last hour have settled, and before close-security-hours: an hour that is judged by then
    // needs no due mark.
    triggers: [{ hourlyAtMinute: 6 }, { event: "DetectionDispatchContinued" }],
    alarm: {
      id: "DetectionStoppedAlarm",
      // The next hour catches up on a missed one.
      silentHours: 2,
      description: "Detection has not been dispatched for two hours: it is not started, or fails each time",
    },
  },
  "close-security-hours": {
    subject: "security",
    description: "Counts up the hours of security events that are over",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 11 }],
  },
  "sweep-alert-outbox": {
    subject: "security",
    description: "Publishes changes of alerts that nobody is known to have published",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 16 }],
  },
  "resume-stalled-syncs": {
    subject: "sync",
    description: "Has sync runs gone on with that lost their worker",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 21 }],
  },
  "hand-over-webhooks": {
    subject: "webhooks",
    description: "Hands over webhooks that nobody is known to have handed over",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 26 }],
  },
  "dispatch-reports": {
    subject: "reports",
    description: "Asks for the reports that are due",
    timeoutSeconds: 900,
    triggers: [{ hourlyAtMinute: 31 }],
  },
  "resume-erasures": {
    subject: "erasure",
    description: "Has erasures gone on with that lost their worker",
    timeoutSeconds: 300,
    triggers: [{ hourlyAtMinute: 36 }],
  },
  "dispatch-syncs": {
    subject: "sync",
    description: "Asks for a sync run of each connected organization",
    timeoutSeconds: 900,
    triggers: [{ everyHours: "SYNC_INTERVAL_HOURS" }, { event: "SyncDispatchContinued" }],
  },
  "run-sync": {
    subject: "sync",
    description: "Works on sync runs",
    timeoutSeconds: 300,
    triggers: [{ event: "SyncRequested" }],
  },
  "detect-organization": {
    subject: "detection",
    description: "Judges the hours of an organization",
    timeoutSeconds: 300,
    triggers: [{ event: "DetectionDue" }],
    alarm: {
      id: "DetectionFailedAlarm",
      onErrors: true,
      description: "Hours were not judged: detect-organization fails",
    },
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
  "process-webhook": {
    subject: "webhooks",
    description: "Applies what webhooks brought",
    timeoutSeconds: 60,
    triggers: [{ queueOf: "WebhookReceived", batchSize: 5 }],
  },
  "restore-security-events": {
    subject: "security",
    description: "Records the security events that could not be recorded at their time",
    timeoutSeconds: 30,
    triggers: [{ queueOf: "SecurityEventNotRecorded", batchSize: 10 }],
  },
} as const satisfies Record<string, BackgroundFunction>;

export type BackgroundFunctionName = keyof typeof backgroundFunctions;

/** Every background function with its name. */
export const allBackgroundFunctions = Object.entries(backgroundFunctions) as [
  BackgroundFunctionName,
  BackgroundFunction,
][];
