/**
 * Which change of an alert is notified to a destination. Pure. docs/notifications.md, "What is notified".
 *
 * Bus events come twice and in any order, and several changes may come as one. So the decision compares the alert's state
 * in the event with what was notified before, and does not count events.
 */
import { definedFields } from "../json/defined-fields.ts";
import { timeOfAlertId } from "../security/alerts/alert-item.ts";
import type { SecurityAlertChanged } from "../security/alerts/alert-publisher.ts";
import { isAtLeast, type RiskLevel, riskLevels } from "../terms/risk-levels.ts";
import type { Destination } from "./destination.ts";
import type { NotifiedChange } from "./messages/notification.ts";
import type { Claim, NoticeItem } from "./notification-items.ts";

/** A notification that is due. `claim`: what it says, which is notified once. */
export type DueNotification = {
  claim: Claim;
  change: NotifiedChange;
  previousLevel?: RiskLevel;
  /** Of an escalation: how long no user has acknowledged the alert. */
  afterMinutes?: number;
};

type Changed = Pick<SecurityAlertChanged, "change" | "alert">;
type Filtered = Pick<Destination, "filter" | "createdAt">;

const takes = <Value>(list: readonly Value[] | undefined, value: Value): boolean =>
  list === undefined || list.includes(value);

/**
 * What an alert's raising or rise is notified as if nothing of the alert was notified; undefined for nothing. A change
 * before the destination was created does not count, unless this very event is the alert's first.
 */
const firstNotification = (
  { change, alert }: Changed,
  { filter, createdAt }: Filtered,
): DueNotification | undefined => {
  const { level, raisedLevel, escalatedAt } = alert;
  // An operator's decision may be published in place of the raising, which waited in the outbox.
  const isRaisedSince = change !== "repeated" && (timeOfAlertId(alert.id) ?? 0) >= createdAt;
  const isRaised = (change === "raised" || isRaisedSince) && takes(filter.levels, raisedLevel ?? level);
  if (isRaised && takes(filter.changes, "raised")) return { claim: level, change: "raised" };
  const isEscalated = escalatedAt !== undefined && escalatedAt >= createdAt;
  if (!isEscalated || !takes(filter.changes, "escalated")) return undefined;
  return { claim: level, change: "escalated", ...definedFields({ previousLevel: raisedLevel }) };
};

/**
 * The notification of a bus event; undefined if the destination does not take it, or knows the state already.
 * @param notice what was notified of the alert before.
 */
export const decideNotice = (
  changed: Changed,
  destination: Filtered,
  notice: NoticeItem,
): DueNotification | undefined => {
  const { change, alert } = changed;
  const { filter, createdAt } = destination;
  if (change === "assigned" || change === "commented") return undefined;
  // Its end goes where its escalation went, whatever the filter.
  if (alert.status === "resolved" && notice.unacknowledged !== undefined && notice.resolved === undefined) {
    return { claim: "resolved", change: "resolved" };
  }
  if (!takes(filter.levels, alert.level) || !takes(filter.rules, alert.rule)) return undefined;
  if (notice.resolved !== undefined) return undefined;
  const highest = riskLevels.findLast((level) => notice[level] !== undefined);
  if (alert.status === "resolved" && takes(filter.changes, "resolved")) {
    const isNew = (timeOfAlertId(alert.id) ?? 0) >= createdAt || (alert.escalatedAt ?? 0) >= createdAt;
    if (highest !== undefined || isNew) return { claim: "resolved", change: "resolved" };
  }
  if (highest === undefined) return firstNotification(changed, destination);
  if (isAtLeast(highest, alert.level) || !takes(filter.changes, "escalated")) return undefined;
  return { claim: alert.level, change: "escalated", previousLevel: highest };
};
