/** Every event that the service publishes on its bus. background-functions.ts lists the functions that consume them. */

import type * as z from "zod/mini";
import { DUE_HOURS_CONTINUED_TYPE, DueHoursRun } from "../archive/write-due-hours.ts";
import { CIRCUIT_EVENT_TYPE, CircuitChanged } from "../circuit-breaker/record-transition.ts";
import {
  DETECTION_CONTINUED_TYPE,
  DETECTION_DUE_TYPE,
  DetectionDispatch,
  DetectionDue,
  DUE_SLOTS,
} from "../detection/detection.ts";
import { DRILL_REQUESTED_TYPE, DrillRun } from "../drills/drill-events.ts";
import { ERASURE_REQUESTED_TYPE, ErasureRequested } from "../erasure/erasure-events.ts";
import { EXPORT_REQUESTED_TYPE, ExportRequested } from "../exports/export-events.ts";
import { ESCALATION_DUE_TYPE, EscalationDue } from "../notifications/escalation.ts";
import { PREVIEW_REQUESTED_TYPE, PreviewRequested } from "../previews/preview-events.ts";
import { REPORT_DUE_TYPE, ReportDue } from "../reports/make-report.ts";
import { REPORT_MADE_TYPE, ReportMade } from "../reports/report-made.ts";
import { SEALING_CONTINUED_TYPE, SealingRun } from "../sealing/seal-due-hours.ts";
import { ALERT_EVENT_TYPE, SecurityAlertChanged } from "../security/alerts/alert-publisher.ts";
import { UNRECORDED_EVENT_TYPE, UnrecordedEvent } from "../security/dead-letters.ts";
import { CLOSING_CONTINUED_TYPE, HourClosing } from "../security/statistics/continue-closing.ts";
import { RequestedWork, SYNC_REQUESTED_TYPE } from "../sync/sync-request.ts";
import { SYNC_DISPATCH_TYPE, SyncDispatch } from "../sync/sync-schedules.ts";
import { WEBHOOK_RECEIVED, WebhookReceived } from "../webhooks/webhook-outbox.ts";

export { EVENT_SOURCE } from "../terms/event-source.ts";

/** Functions that record security events raise alerts, and publish the events that could not be recorded. */
export const RECORDERS = "every function that records security events";

type BusEventKind = {
  /** The schema of the event's `detail`, or of each of its parts. */
  detail: z.ZodMiniType;
  /** The fields of `detail` with parts. A rule per field starts one invocation per part; each part has a `version`. */
  parts?: readonly string[];
  /** The functions that publish the event; see RECORDERS. */
  publishers: readonly string[];
  /** Whether the event is for subscribers outside the service, whose rules are not part of the stack. */
  isForSubscribers?: boolean;
};

/** By the event's `detail-type`. */
export const busEvents = {
  [SYNC_REQUESTED_TYPE]: {
    detail: RequestedWork,
    publishers: [
      "connect-provider",
      "dispatch-syncs",
      "process-webhook",
      "resume-stalled-syncs",
      "run-erasure",
      "run-sync",
      "start-sync",
    ],
  },
  [SYNC_DISPATCH_TYPE]: { detail: SyncDispatch, publishers: ["dispatch-syncs"] },
  [WEBHOOK_RECEIVED]: {
    detail: WebhookReceived,
    publishers: ["hand-over-webhooks", "receive-webhook", "replay-webhook-delivery"],
  },
  [DETECTION_DUE_TYPE]: { detail: DetectionDue, parts: DUE_SLOTS, publishers: ["dispatch-detection"] },
  [DETECTION_CONTINUED_TYPE]: { detail: DetectionDispatch, publishers: ["dispatch-detection"] },
  [REPORT_DUE_TYPE]: { detail: ReportDue, publishers: ["dispatch-reports"] },
  [REPORT_MADE_TYPE]: { detail: ReportMade, publishers: ["make-reports"] },
  [ESCALATION_DUE_TYPE]: { detail: EscalationDue, publishers: ["send-notifications"] },
  [ERASURE_REQUESTED_TYPE]: {
    detail: ErasureRequested,
    publishers: ["request-erasure", "resume-erasures", "run-erasure"],
  },
  [EXPORT_REQUESTED_TYPE]: {
    detail: ExportRequested,
    publishers: ["resume-exports", "run-export", "start-event-export", "start-organization-export"],
  },
  [PREVIEW_REQUESTED_TYPE]: {
    detail: PreviewRequested,
    publishers: ["resume-exports", "run-preview", "start-preview"],
  },
  [DRILL_REQUESTED_TYPE]: { detail: DrillRun, publishers: ["start-drill"] },
  [CIRCUIT_EVENT_TYPE]: {
    detail: CircuitChanged,
    publishers: [
      "change-circuit-breaker",
      "connect-provider",
      "disconnect-provider",
      "process-webhook",
      "run-sync",
      "sweep-alert-outbox",
      "update-webhook-endpoint",
    ],
    isForSubscribers: true,
  },
  [ALERT_EVENT_TYPE]: {
    detail: SecurityAlertChanged,
    publishers: [
      RECORDERS,
      "change-security-alerts",
      "detect-organization",
      "end-mute",
      "end-mutes",
      "sum-security-days",
      "sweep-alert-outbox",
    ],
    isForSubscribers: true,
  },
  [CLOSING_CONTINUED_TYPE]: { detail: HourClosing, publishers: ["close-security-hours"] },
  [SEALING_CONTINUED_TYPE]: { detail: SealingRun, publishers: ["seal-security-hours"] },
  [DUE_HOURS_CONTINUED_TYPE]: { detail: DueHoursRun, publishers: ["write-siem-feed"] },
  [UNRECORDED_EVENT_TYPE]: {
    detail: UnrecordedEvent,
    publishers: [RECORDERS, "apply-mail-feedback", "send-notifications"],
  },
} as const satisfies Record<string, BusEventKind>;

export type BusEventName = keyof typeof busEvents;

const eventNames = Object.keys(busEvents) as BusEventName[];

/** The events that at least one of the publishers publishes, in the order of the table. */
export const eventsPublishedBy = (...names: readonly string[]): BusEventName[] =>
  eventNames.filter((event) => {
    const { publishers }: BusEventKind = busEvents[event];
    return publishers.some((publisher) => names.includes(publisher));
  });

/** The fields that contain the parts of an event; undefined if the event has no parts. */
export const partsOf = (name: BusEventName): readonly string[] | undefined => {
  const event: BusEventKind = busEvents[name];
  return event.parts;
};
