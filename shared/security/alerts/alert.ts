/**
 * Alerts: what somebody should look at. An event at or above ALERT_THRESHOLD raises one, a finding of detection does,
 * and an operator may. Read alert-raising.ts next for how they come about, alert-store.ts for where they are.
 * Decisions: docs/security-events.md, "Alerts and their events".
 */
import * as z from "zod/mini";
import { riskLevels } from "../../terms/risk-levels.ts";

export const alertStatuses = ["open", "acknowledged", "resolved"] as const;
export type AlertStatus = (typeof alertStatuses)[number];

/** An alert shows this many of its events, the newest. */
export const MAX_EVENT_IDS = 100;

const text = z.string();
const described = (description: string) => z.string().register(z.globalRegistry, { description });
const integer = (description: string) =>
  z.number().register(z.globalRegistry, { description, override: { type: "integer" } });
const time = integer("Epoch milliseconds.");

/** What a finding rests on: how many events, and what its rule says beside that. */
export const Evidence = z.looseObject({ count: integer("The events that the findings rest on.") });
export type Evidence = z.output<typeof Evidence>;

/** An alert as it is stored, returned and published. */
export const Alert = z
  .object({
    id: text,
    title: text,
    level: z.enum(riskLevels),
    rule: described("Why it was raised: `event_threshold`, `manual`, or the rule of detection."),
    subject: described("Whom or what it is about. One unresolved alert per rule and subject."),
    status: z.enum(alertStatuses),
    count: integer("How often it was raised."),
    firstSeen: time,
    lastSeen: time,
    eventIds: z
      .array(text)
      .register(z.globalRegistry, { description: `The newest events, ${MAX_EVENT_IDS} at most, newest first.` }),
    message: z.optional(text),
    metadata: z.optional(z.record(z.string(), z.unknown())),
    evidence: z.optional(Evidence),
    acknowledgedAt: z.optional(time),
    acknowledgedBy: z.optional(text),
    resolvedAt: z.optional(time),
    resolvedBy: z.optional(text),
    revision: integer("Rises by one with every change."),
  })
  .register(z.globalRegistry, { id: "Alert", description: "Something to look at, once however often it happened." });
export type Alert = z.output<typeof Alert>;

/** What happened to an alert. */
export const alertChanges = ["raised", "repeated", "acknowledged", "resolved"] as const;
export type AlertChange = (typeof alertChanges)[number];

/** A change that is to be published. */
export type ChangedAlert = {
  /** Absent where the alert is of no organization; then it is stored nowhere. */
  organizationId?: string | undefined;
  /** As it was after the change. */
  alert: Alert;
  change: AlertChange;
  /** Epoch ms. */
  at: number;
};
