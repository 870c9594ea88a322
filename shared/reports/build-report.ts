/** What both builders of reports use: alerts as reports show them, and lists that fit. Pure. */
import { definedFields } from "../json/defined-fields.ts";
import { ALERT_PATH, type Alert } from "../security/alerts/alert.ts";
import { timeOfAlertId } from "../security/alerts/alert-item.ts";
import { type ByCause, type ByLevel, MAX_REPORTED_EVENTS, noneByLevel, type ReportedAlert } from "./report-fields.ts";

/** When an alert was first acknowledged or resolved; undefined if neither. Epoch ms. */
export const answeredAt = ({ acknowledgedAt, resolvedAt }: Alert): number | undefined => acknowledgedAt ?? resolvedAt;

/** The time from when an alert was raised, which is later than its evidence, or last opened again, until it was answered. */
export const timeToAcknowledge = (alert: Alert): number | undefined => {
  const answered = answeredAt(alert);
  const raisedAt = alert.reopenedAt ?? timeOfAlertId(alert.id) ?? alert.firstSeen;
  return answered === undefined ? undefined : Math.max(0, answered - raisedAt);
};

/** A subject names its kind first; an address is personal data. */
export const isAboutAddress = (subject: string): boolean => /(^|\s)address:/.test(subject);

export const reportedAlert = (alert: Alert): ReportedAlert => {
  const { id, rule, title, level, subject, status, count, firstSeen, lastSeen, acknowledgedBy, resolvedBy } = alert;
  const { assignee, comments, cause } = alert;
  return {
    id,
    href: ALERT_PATH.replace("{id}", encodeURIComponent(id)),
    rule,
    title,
    level,
    status,
    count,
    firstSeen,
    lastSeen,
    eventIds: alert.eventIds.slice(0, MAX_REPORTED_EVENTS),
    ...definedFields({
      subject: isAboutAddress(subject) ? undefined : subject,
      acknowledgedBy: acknowledgedBy ?? resolvedBy,
      timeToAcknowledgeMs: timeToAcknowledge(alert),
      assignee,
      comments,
      cause,
    }),
  };
};

export const countByLevel = (alerts: readonly Pick<Alert, "level">[]): ByLevel => {
  const counts = noneByLevel();
  for (const { level } of alerts) counts[level]++;
  return counts;
};

/** The alerts that were resolved in a period, by cause. */
export const countByCause = (
  alerts: readonly Pick<Alert, "resolvedAt" | "cause">[],
  period: { from: number; to: number },
): ByCause => {
  const counts = { true_alarm: 0, false_alarm: 0, test: 0, none: 0 };
  for (const { resolvedAt, cause = "none" } of alerts) if (isWithin(resolvedAt, period)) counts[cause]++;
  return counts;
};

/** Whether a time lies in a period; an undefined time does not. */
export const isWithin = (time: number | undefined, { from, to }: { from: number; to: number }): boolean =>
  time !== undefined && time >= from && time < to;

export const sumOf = <Item>(items: readonly Item[], numberOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + numberOf(item), 0);

/** The median; undefined for an empty list. */
export const median = (numbers: readonly number[]): number | undefined => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
};

/** Decisions: docs/reports.md. Far below the maximum of a stored item (400 KB), and a size that browsers show well. */
export const MAX_REPORT_BYTES = 300_000;

/** The first limit of each of a report's lists. */
const MOST_ITEMS = 500;

/** The first items of a list, and the number of the others. */
export const firstOf = <Item>(items: readonly Item[], max: number): { shown: Item[]; more: number } => ({
  shown: items.slice(0, max),
  more: Math.max(0, items.length - max),
});

/**
 * Builds a report that fits: the limit of its lists is halved until it does.
 * @param build returns the report with at most `maxItems` items in each list.
 */
export const fitReport = <Report>(build: (maxItems: number) => Report): Report => {
  for (let maxItems = MOST_ITEMS; ; maxItems = Math.floor(maxItems / 2)) {
    const report = build(maxItems);
    if (maxItems === 0 || Buffer.byteLength(JSON.stringify(report)) <= MAX_REPORT_BYTES) return report;
  }
};
