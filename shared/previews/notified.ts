/**
 * Counts the notifications that destinations would be sent of findings: after mutes and filters, before digests, quiet
 * hours and storms, which only delay or join. Pure. As notifications/decide-notice.ts decides it: an alert is sent when it is
 * raised and when its level rises, not when it is repeated; what a mute withholds is sent once when the mute ends.
 */
import type { MuteScope } from "../mutes/mute.ts";
import { actingOn } from "../mutes/mute-times.ts";
import type { Destination } from "../notifications/destination.ts";
import type { PeriodAlert } from "../security/alerts/alert-period-store.ts";
import { isAtLeast, type RiskLevel } from "../terms/risk-levels.ts";

type SentChange = "raised" | "escalated";

/** An alert that is not resolved. `hidden`: the change that a mute withholds until a time, epoch ms. */
type OpenAlert = {
  rule: string;
  subject: string;
  level: RiskLevel;
  raisedAt: number;
  hidden?: { change: SentChange; until: number } | undefined;
};

/** A value of JSON, for checkpoints. */
export type NotifiedState = { open: OpenAlert[]; notifications: number; atNight: number };

export type Raised = Pick<OpenAlert, "rule" | "subject" | "level"> & { at: number };

export type NotifiedInput = {
  mutes: readonly MuteScope[];
  /** Of the destinations that are active. */
  filters: readonly Destination["filter"][];
  /** Those of the period; their resolutions end alerts. */
  alerts: readonly PeriodAlert[];
};

const FIRST_NIGHT_HOUR = 22;
const FIRST_DAY_HOUR = 7;

const isNight = (at: number): boolean => {
  const hour = new Date(at).getUTCHours();
  return hour >= FIRST_NIGHT_HOUR || hour < FIRST_DAY_HOUR;
};

const keyOf = ({ rule, subject }: Pick<OpenAlert, "rule" | "subject">): string => `${rule} ${subject}`;

const takes = <Value>(list: readonly Value[] | undefined, value: Value): boolean =>
  list === undefined || list.includes(value);

/** The alerts that are open when a period begins. @param from epoch ms. */
export const openAt = (alerts: readonly PeriodAlert[], from: number): NotifiedState => ({
  open: alerts.flatMap(({ rule, subject, level, firstSeen, resolvedAt }) =>
    firstSeen < from && (resolvedAt === undefined || resolvedAt > from)
      ? [{ rule, subject, level, raisedAt: firstSeen }]
      : [],
  ),
  notifications: 0,
  atNight: 0,
});

export const createNotified = ({ mutes, filters, alerts }: NotifiedInput, stored: NotifiedState) => {
  const open = new Map(stored.open.map((alert) => [keyOf(alert), alert]));
  let { notifications, atNight } = stored;
  const resolutions = Map.groupBy(alerts, keyOf);

  const isResolved = (alert: OpenAlert, at: number): boolean =>
    (resolutions.get(keyOf(alert)) ?? []).some(
      ({ resolvedAt = Number.POSITIVE_INFINITY }) => resolvedAt > alert.raisedAt && resolvedAt <= at,
    );

  const notify = (alert: OpenAlert, change: SentChange, at: number): void => {
    const acting = actingOn(mutes, alert, at);
    if (acting.length > 0) {
      const until = Math.max(...acting.map(({ span }) => span.until));
      alert.hidden = { change: alert.hidden?.change ?? change, until };
      return;
    }
    const { rule, level } = alert;
    delete alert.hidden;
    const sent = filters.filter(
      (filter) => takes(filter.levels, level) && takes(filter.rules, rule) && takes(filter.changes, change),
    ).length;
    notifications += sent;
    if (isNight(at)) atNight += sent;
  };

  /** Sends what mutes have hidden that ended up to a time. A later mute may hide it again. */
  const release = (at: number): void => {
    for (const [key, alert] of open) {
      for (let { hidden } = alert; hidden !== undefined && hidden.until <= at; hidden = alert.hidden) {
        if (isResolved(alert, hidden.until)) {
          open.delete(key);
          break;
        }
        notify(alert, hidden.change, hidden.until);
      }
    }
  };

  return {
    /** Takes findings whose alerts are raised or repeated at a time, in order of time. */
    take({ at, ...raised }: Raised): void {
      release(at);
      const key = keyOf(raised);
      const before = open.get(key);
      if (before === undefined || isResolved(before, at)) {
        const alert: OpenAlert = { ...raised, raisedAt: at };
        open.set(key, alert);
        notify(alert, "raised", at);
      } else if (!isAtLeast(before.level, raised.level)) {
        before.level = raised.level;
        notify(before, "escalated", at);
      }
    },
    release,
    state: (): NotifiedState => ({ open: [...open.values()], notifications, atNight }),
  };
};
