/** Open alerts in words: what happened, to whom, from where and how often. Pure. */
import type { Alert, SecurityEvent } from "../../api/types.ts";
import { addressOf, alertAddress } from "../../words/address.ts";
import { formatAge, isOrAre, plural } from "../../words/format.ts";
import { levels } from "../../words/levels.ts";
import { subjectOf } from "../alerts/words.ts";
import type { Attention, Known } from "./known.ts";

type OpenAlert = Pick<
  Alert,
  "id" | "title" | "level" | "rule" | "subject" | "count" | "lastSeen" | "eventIds" | "evidence"
>;

/** Alerts of one title and level, the newest first: the same thing happened to several users, or again. */
type Group = { alerts: readonly OpenAlert[]; newest: OpenAlert; times: number };

/** The title of the alert about credentials that the provider refused while a user connected. */
export const REFUSED_CONNECT = "The provider refused the API key or the authorization while connecting";
/** From this many refusals on, it is more than a mistyped key. */
const MANY_REFUSALS = 5;

const isRefusedConnect = ({ rule, subject, title, count }: OpenAlert): boolean =>
  rule === "event_threshold" &&
  subject.startsWith("PROVIDER_REQUEST") &&
  title === REFUSED_CONNECT &&
  count < MANY_REFUSALS;

/**
 * The refused credentials of an organization that was never connected: a mistake of the person who is connecting, and no
 * incident. Undefined if there is none.
 */
export const refusedConnectOf = ({ connection, runs, openAlerts }: Known): OpenAlert | undefined =>
  connection?.status === "disconnected" && runs?.length === 0 ? openAlerts?.find(isRefusedConnect) : undefined;

/** The gravest first, then the newest. */
const groupsOf = (alerts: readonly OpenAlert[]): Group[] =>
  [...Map.groupBy(alerts, ({ level, title }) => `${level} ${title}`).values()]
    .flatMap((group) => {
      const sorted = group.toSorted((one, other) => other.lastSeen - one.lastSeen);
      const [newest] = sorted;
      const times = group.reduce((sum, { count }) => sum + count, 0);
      return newest === undefined ? [] : [{ alerts: sorted, newest, times }];
    })
    .toSorted(
      ({ newest: one }, { newest: other }) =>
        levels.indexOf(one.level) - levels.indexOf(other.level) || other.lastSeen - one.lastSeen,
    );

/** The open alert to quote first; its newest event says who and from where. */
export const gravestOf = (alerts: readonly OpenAlert[]): OpenAlert | undefined => groupsOf(alerts)[0]?.newest;

/** Such as "User mallory, address 192.0.2.7". @param event the alert's newest one, if it is known */
const whoIn = (alert: OpenAlert, event: SecurityEvent | undefined): string => {
  const subject = subjectOf(alert);
  const subjectFilters = { userId: undefined, ipAddress: undefined, ...subject?.filters };
  const user = subjectFilters.userId ?? event?.userId;
  const address = subjectFilters.ipAddress ?? event?.ipAddress;
  const known = [user === undefined ? "" : `user ${user}`, address === undefined ? "" : `address ${address}`];
  const named = known.filter((text) => text !== "").join(", ") || (subject?.text ?? "");
  return named.charAt(0).toUpperCase() + named.slice(1);
};

const tones = { CRITICAL: "bad", HIGH: "bad", MEDIUM: "warn", LOW: undefined } as const;

const ofLevel = (level: Alert["level"], count: number): string => plural(count, `${level.toLowerCase()} alert`);

/** One need for each level: its gravest alert is quoted, and the others are counted. */
const needOf = (level: Alert["level"], count: number, known: Known, now: number): Attention | undefined => {
  const tone = tones[level];
  if (count === 0 || tone === undefined) return undefined;
  const [group] = groupsOf((known.openAlerts ?? []).filter((alert) => alert.level === level));
  const list = addressOf("/console/alerts", { status: "open", level });
  if (group === undefined) {
    const open = `${ofLevel(level, count)} ${isOrAre(count)} open`;
    const action = { href: list, text: `Look at the ${count === 1 ? "alert" : "alerts"}` };
    return { tone, what: open, text: `${open} and not acknowledged.`, action };
  }
  const { alerts, newest, times } = group;
  const event = newest.eventIds[0] === known.newestEvent?.id ? known.newestEvent : undefined;
  const others = alerts.length > 1 ? ` and ${plural(alerts.length - 1, "other")}` : "";
  const more = count > alerts.length ? ` ${ofLevel(level, count)} are open.` : "";
  return {
    tone,
    what: `${newest.title}${times > 1 ? ` ×${times}` : ""}`,
    text: `${[`${whoIn(newest, event)}${others}`, formatAge(newest.lastSeen, now)].join(", ")}.${more}`,
    action:
      count === 1
        ? { href: alertAddress(newest.id), text: "Look at the alert" }
        : { href: list, text: "Look at the alerts" },
  };
};

/** What open alerts need, the gravest level first. @param now epoch milliseconds */
export const alertNeeds = (known: Known, now: number): Attention[] => {
  const { alertCounts } = known;
  if (alertCounts === undefined) return [];
  const refused = refusedConnectOf(known);
  const left = refused === undefined ? known.openAlerts : known.openAlerts?.filter(({ id }) => id !== refused.id);
  return levels.flatMap((level) => {
    const count = alertCounts.open[level] - (refused?.level === level ? 1 : 0);
    return needOf(level, count, { ...known, openAlerts: left }, now) ?? [];
  });
};

/** The minute of each hour at which detection judges the hour before (UTC). */
export const JUDGED_AT_MINUTE = 6;

/** When detection looks for patterns next, epoch milliseconds. */
export const nextJudgement = (now: number): number => {
  const time = new Date(now);
  time.setUTCMinutes(JUDGED_AT_MINUTE, 0, 0);
  if (time.getTime() <= now) time.setUTCHours(time.getUTCHours() + 1);
  return time.getTime();
};
