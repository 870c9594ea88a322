/** Alerts as reports tell of them, and how long they waited for somebody. Pure. */
import type { Alert } from "../security/alerts/alert.ts";
import { timeOfAlertId } from "../security/alerts/alert-item.ts";
import { type ByLevel, noneByLevel, type ReportedAlert } from "./report-fields.ts";

/** When an alert was raised: later than its evidence. Epoch ms. */
const raisedAt = ({ id, firstSeen }: Alert): number => timeOfAlertId(id) ?? firstSeen;

/** When somebody acknowledged an alert, or resolved it at once; undefined while nobody has. Epoch ms. */
export const answeredAt = ({ acknowledgedAt, resolvedAt }: Alert): number | undefined => acknowledgedAt ?? resolvedAt;

/** How long an alert waited until somebody answered it; undefined while nobody has. */
export const timeToAcknowledge = (alert: Alert): number | undefined => {
  const answered = answeredAt(alert);
  return answered === undefined ? undefined : Math.max(0, answered - raisedAt(alert));
};

/** A subject names whom or what it is about after its kind; an address is a person's as much as a name. */
const isAboutAddress = (subject: string): boolean => /(^|\s)address:/.test(subject);

export const reportedAlert = (alert: Alert): ReportedAlert => {
  const { id, rule, title, level, subject, status, count, firstSeen, lastSeen } = alert;
  const acknowledgedBy = alert.acknowledgedBy ?? alert.resolvedBy;
  const timeToAcknowledgeMs = timeToAcknowledge(alert);
  return {
    ...{ id, rule, title, level, status, count, firstSeen, lastSeen },
    ...(!isAboutAddress(subject) && { subject }),
    ...(acknowledgedBy !== undefined && { acknowledgedBy }),
    ...(timeToAcknowledgeMs !== undefined && { timeToAcknowledgeMs }),
  };
};

export const countByLevel = (alerts: readonly Pick<Alert, "level">[]): ByLevel => {
  const counts = noneByLevel();
  for (const { level } of alerts) counts[level]++;
  return counts;
};

/** Whether a time lies in a period; undefined lies in none. */
export const isWithin = (time: number | undefined, { from, to }: { from: number; to: number }): boolean =>
  time !== undefined && time >= from && time < to;

/** The middle of some numbers, or of the two in the middle; undefined of none. */
export const median = (numbers: readonly number[]): number | undefined => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
};
