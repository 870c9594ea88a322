/**
 * A notification: what a delivery says, the same for every channel. It is stored in the delivery as JSON text, and each
 * channel renders it: webhook.ts, slack.ts, teams.ts and mail.ts. Pure. docs/notifications.md.
 */
import * as z from "zod/mini";
import { count, epochMs } from "../../json/number-fields.ts";
import { reportKinds } from "../../reports/period.ts";
import { alertStatuses } from "../../security/alerts/alert.ts";
import { Attack } from "../../security/alerts/attack.ts";
import { riskLevels } from "../../terms/risk-levels.ts";

/** The changes of an alert that are notified. */
export const notifiedChanges = ["raised", "escalated", "resolved"] as const;
export type NotifiedChange = (typeof notifiedChanges)[number];

/** Why notifications were held for a summary. */
export const summaryReasons = ["storm", "digest", "quiet_hours", "mute_ended"] as const;
export type SummaryReason = (typeof summaryReasons)[number];

const text = z.string();
const described = (description: string) => z.string().register(z.globalRegistry, { description });

/** An alert as notifications show it: without its events, evidence and metadata. */
export const NotifiedAlert = z.object({
  id: text,
  title: text,
  level: z.enum(riskLevels),
  rule: text,
  subject: text,
  status: z.enum(alertStatuses),
  count: count("How often it was raised."),
  firstSeen: epochMs(),
  lastSeen: epochMs(),
  message: z.optional(text),
  attack: z.optional(z.array(Attack)),
  resolvedBy: z.optional(text),
  drill: z.optional(z.literal(true)),
});
export type NotifiedAlert = z.output<typeof NotifiedAlert>;

/** An entry of a summary. `url`: the console's view of the alert. */
export const SummarizedAlert = z.extend(NotifiedAlert, { change: z.enum(notifiedChanges), url: text });
export type SummarizedAlert = z.output<typeof SummarizedAlert>;

/** A summary shows at most this many alerts: the highest levels first, the newest of each level first. */
export const MAX_SUMMARIZED = 20;

const common = { timestamp: epochMs("when the notification was made."), organizationId: text };
const url = described("The console's view.");

const alertData = z.object({
  alert: NotifiedAlert,
  previousLevel: z.optional(z.enum(riskLevels)),
  unacknowledgedMinutes: z.optional(count("Of an escalation: how long no user has acknowledged the alert.")),
  url,
});

/** `leftOut`: the alerts that `alerts` does not list, by level. */
const summaryData = z.object({
  reason: z.enum(summaryReasons),
  from: epochMs(),
  to: epochMs(),
  total: count("All notifications that the summary stands for."),
  byLevel: z.partialRecord(z.enum(riskLevels), z.number()),
  byChange: z.partialRecord(z.enum(notifiedChanges), z.number()),
  alerts: z.array(SummarizedAlert),
  leftOut: z._default(z.partialRecord(z.enum(riskLevels), z.number()), {}),
  url,
});

/** `kind`, `from` and `to` as the list of reports has them. `url`: the report's view in the console. */
const reportData = z.object({ id: text, kind: z.enum(reportKinds), from: epochMs(), to: epochMs(), url });

/** The destination that a test or a confirmation is about. */
const destination = z.object({ id: text, name: text });

export const Notification = z.discriminatedUnion("type", [
  z.object({ ...common, type: z.literal("security.alert.raised"), data: alertData }),
  z.object({ ...common, type: z.literal("security.alert.escalated"), data: alertData }),
  z.object({ ...common, type: z.literal("security.alert.resolved"), data: alertData }),
  z.object({ ...common, type: z.literal("security.alerts.summary"), data: summaryData }),
  z.object({ ...common, type: z.literal("report.created"), data: reportData }),
  z.object({ ...common, type: z.literal("notification.test"), data: z.object({ destination }) }),
  z.object({
    ...common,
    type: z.literal("destination.confirmation"),
    data: z.object({ destination, expiresAt: epochMs("when the link in the mail ends.") }),
  }),
]);
export type Notification = z.output<typeof Notification>;

export const notificationTypes = [
  "security.alert.raised",
  "security.alert.escalated",
  "security.alert.resolved",
  "security.alerts.summary",
  "report.created",
  "notification.test",
  "destination.confirmation",
] as const satisfies readonly Notification["type"][];
export type NotificationType = Notification["type"];

/** The notification in a delivery's text. @throws ZodError for any other text, which is a bug. */
export const parseNotification = (json: string): Notification => Notification.parse(JSON.parse(json));
