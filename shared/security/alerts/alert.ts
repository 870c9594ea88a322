/**
 * Alerts: reasons for operators to look at an organization. Five things raise an alert: an event at or above
 * ALERT_THRESHOLD, a finding of detection, an operator, a fire drill, and a day whose evidence is incomplete.
 * Reading order: alert-raiser.ts turns an event or a finding into a trigger, alert-raising-store.ts creates or repeats the
 * alert, alert-publisher.ts publishes the change. Then alert-store.ts (lists) and monitoring/alert-actions.ts (operators).
 * Decisions: docs/security-events.md, "Alerts and their events".
 */
import * as z from "zod/mini";
import { cursorTime } from "../../json/cursor-time.ts";
import { epochMs, integer } from "../../json/number-fields.ts";
import { type RiskLevel, riskLevels } from "../../terms/risk-levels.ts";
import type { Json } from "../redaction/redact.ts";
import { Attack } from "./attack.ts";

export const alertStatuses = ["open", "acknowledged", "resolved"] as const;
export type AlertStatus = (typeof alertStatuses)[number];

/** Why an alert could be resolved, as the operator says. */
export const resolutionCauses = ["true_alarm", "false_alarm", "test"] as const;
export type ResolutionCause = (typeof resolutionCauses)[number];

/** An alert has at most this many event ids, the newest. */
export const MAX_EVENT_IDS = 100;

/** Where the API has an alert. */
export const ALERT_PATH = "/api/integrations/provider/security/alert/{id}";

/** The rules of alerts that no finding raised. */
export const EVENT_RULE = "event_threshold";
export const MANUAL_RULE = "manual";
/** Of alerts about a destination that the service paused. Its subject is the destination's id. */
export const PAUSED_RULE = "notifications_paused";
/** Of alerts about a destination that a user made get fewer alerts. Its subject is the destination's id. */
export const SILENCED_RULE = "notifications_silenced";
/** Of alerts about a mute of HIGH or CRITICAL alerts. Its subject is the mute's id. */
export const MUTED_RULE = "alerts_muted";
/** Of alerts about a rule of detection that a user switched off. Its subject is the rule. */
export const RULE_OFF_RULE = "detection_rule_off";
/** Of alerts about a day whose sums of events are unequal. Its subject is the day. */
export const INCOMPLETE_RULE = "evidence_incomplete";

const text = z.string();
const described = (description: string) => z.string().register(z.globalRegistry, { description });
const time = epochMs();

/** The evidence of findings: the number of events, and the details of the rule. */
export const Evidence = z.looseObject({ count: integer("The events that the findings rest on.") });

/** An alert as it is stored, returned and published. */
export const Alert = z
  .object({
    id: text,
    title: text,
    level: z.enum(riskLevels),
    raisedLevel: z.optional(
      z.enum(riskLevels).register(z.globalRegistry, {
        description: "The level at which it was raised, if a repetition has raised its level since.",
      }),
    ),
    escalatedAt: z.optional(epochMs("when a repetition last raised its level.")),
    rule: described(
      "Why it was raised: `event_threshold`, `manual`, `notifications_paused`, `notifications_silenced`, `alerts_muted`, `connection_key`, `detection_rule_off`, `evidence_incomplete`, or the rule of detection.",
    ),
    subject: described("The user or thing that the alert is about. One unresolved alert per rule and subject."),
    status: z.enum(alertStatuses),
    count: integer("How often it was raised."),
    firstSeen: time,
    lastSeen: time,
    eventIds: z.array(text).register(z.globalRegistry, {
      description: `The newest events, ${MAX_EVENT_IDS} at most, newest first.`,
      override: { maxItems: MAX_EVENT_IDS },
    }),
    message: z.optional(text),
    metadata: z.optional(z.record(z.string(), z.unknown())),
    evidence: z.optional(Evidence),
    attack: z.optional(
      z.array(Attack).register(z.globalRegistry, {
        description: "What the rule's findings are signs of; absent if the rule names nothing.",
      }),
    ),
    acknowledgedAt: z.optional(time),
    acknowledgedBy: z.optional(text),
    resolvedAt: z.optional(time),
    resolvedBy: z.optional(text),
    cause: z.optional(
      z.enum(resolutionCauses).register(z.globalRegistry, {
        description: "What it turned out to be, as the operator who resolved it says; absent if not said.",
      }),
    ),
    reopenings: z.optional(integer("How often it was opened again; absent if never.")),
    reopenedAt: z.optional(epochMs("when it was last opened again.")),
    reopenedBy: z.optional(described("The user who did that.")),
    assignee: z.optional(described("The user who looks after it; absent if no user does.")),
    assignedAt: z.optional(epochMs("when it was last assigned, or the assignment taken away.")),
    assignedBy: z.optional(described("The user who did that.")),
    comments: z.optional(integer("The number of comments; absent if there are none.")),
    commentedAt: z.optional(epochMs("the newest comment.")),
    drill: z.optional(
      z.literal(true).register(z.globalRegistry, {
        description: "A fire drill raised it: it is in no number or report.",
      }),
    ),
    mutedBy: z.optional(
      z
        .array(text)
        .register(z.globalRegistry, { description: "The mutes that act on it now; absent if there are none." }),
    ),
    revision: integer("Rises by one with every change."),
  })
  .register(z.globalRegistry, {
    id: "Alert",
    description: "A reason to look at an organization: one alert, however often it occurs.",
  });
export type Alert = z.output<typeof Alert>;

/** Where a page of alerts ended. */
export const AlertPosition = z.object({ firstSeen: cursorTime, id: z.string() });
export type AlertPosition = z.output<typeof AlertPosition>;

/**
 * A reason to raise an alert: a new alert, or the unresolved one of the same rule and subject again. Texts are redacted
 * and cut. Times are of the evidence, epoch ms.
 */
export type AlertTrigger = {
  /** Of a drill: its alert is one of its own, and joins none of the same rule and subject. */
  kind: "event" | "finding" | "drill";
  rule: string;
  subject: string;
  title: string;
  level: RiskLevel;
  message?: string;
  /** Identifies the trigger: the same trigger counts once. A later trigger's text sorts after an earlier one's. */
  occurrence: string;
  eventIds: readonly string[];
  evidence?: { count: number; details: Json };
  attack?: readonly Attack[];
  firstSeen: number;
  lastSeen: number;
};

/** How an alert changed. */
export const alertChanges = [
  "raised",
  "repeated",
  "acknowledged",
  "assigned",
  "commented",
  "resolved",
  "reopened",
] as const;
export type AlertChange = (typeof alertChanges)[number];

/** A note: an assignment of an alert, a comment on it, or its reopening. Who made it, and what it says. */
export const AlertNote = z.object({
  /** The same however often the note is published. */
  id: text,
  /** The author; missing once the user is erased. */
  by: z.optional(text),
  /** Of an assignment: the user, or null if the assignment was taken away; missing once the user is erased. */
  assignee: z.optional(z.nullable(text)),
  /** Of a comment. */
  text: z.optional(text),
});
export type AlertNote = z.output<typeof AlertNote>;

/** A change to publish. */
export type ChangedAlert = {
  /** Undefined for an alert of no organization, which is published but not stored. */
  organizationId?: string | undefined;
  /** The alert after the change. */
  alert: Alert;
  change: AlertChange;
  /** Epoch ms. */
  at: number;
  /** Of the changes `assigned`, `commented` and `reopened`. */
  note?: AlertNote | undefined;
};
