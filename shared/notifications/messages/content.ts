/**
 * What a message to people says, the same in chats and mails. slack.ts, teams.ts and mail.ts give it their forms. The texts
 * of an alert may be hostile: here they lose control characters, and each form escapes them. Pure.
 */
import type { Attack } from "../../security/alerts/attack.ts";
import { type RiskLevel, riskLevels } from "../../terms/risk-levels.ts";
import type { Notification, NotifiedAlert, SummarizedAlert, SummaryReason } from "./notification.ts";

/** A value is a text or a time (epoch ms). `isName`: a text that users chose for themselves, an organization or a destination. */
export type Fact = { label: string; value: string | number; isName?: true };

/** An alert in a summary. `at`: epoch ms. */
export type Entry = { level: RiskLevel; title: string; change: string; at: number; url: string };

export type LeftOut = Readonly<Partial<Record<RiskLevel, number>>>;

export type Content = {
  /** One line. */
  headline: string;
  level?: RiskLevel;
  facts: readonly Fact[];
  paragraph?: string;
  entries: readonly Entry[];
  /** The alerts that a summary does not list, by level. */
  leftOut: LeftOut;
  link?: { label: string; url: string };
};

export const LEVEL_MARKS: Readonly<Record<RiskLevel, string>> = { CRITICAL: "🔴", HIGH: "🟠", MEDIUM: "🟡", LOW: "🔵" };

/** Control characters, line and paragraph separators, and marks that change the direction of the text around them. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\ufeff]+/gu;

/** A text on one line, without characters that could change how other text reads. */
const oneLine = (text: string): string => text.toWellFormed().replace(UNSAFE, " ").trim();

const withLines = (text: string): string => text.split(/\r?\n/).map(oneLine).join("\n").trim();

/**
 * The beginning of a text that, once escaped, has at most `max` UTF-16 units; the result is escaped. A cut text ends in
 * "…". No character is cut in two.
 */
export const cutTo = (text: string, max: number, escapeText: (text: string) => string = (same) => same): string => {
  const whole = escapeText(text);
  if (whole.length <= max) return whole;
  let fitting = "";
  for (const character of text) {
    const next = escapeText(character);
    if (fitting.length + next.length > max - 1) break;
    fitting += next;
  }
  return `${fitting}…`;
};

/** `2026-11-22 21:19 UTC`. @param at epoch ms. */
export const timeText = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** `2026-11-22`. @param at epoch ms. */
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** `repeated_auth_failures` → `Repeated auth failures`. */
const inWords = (name: string): string => {
  const words = oneLine(name).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** `T1110 (TA0006), T1110.003 (TA0006)`. */
const attackText = (attack: readonly Attack[]): string =>
  attack.map(({ tactic, technique }) => `${technique} (${tactic})`).join(", ");

const alertFacts = (alert: NotifiedAlert, previousLevel: RiskLevel | undefined): Fact[] => [
  { label: "Level", value: previousLevel === undefined ? alert.level : `${alert.level} (was ${previousLevel})` },
  { label: "Subject", value: oneLine(alert.subject) },
  { label: "Rule", value: inWords(alert.rule) },
  { label: "Occurrences", value: String(alert.count) },
  { label: "Last seen", value: alert.lastSeen },
  ...(alert.attack === undefined ? [] : [{ label: "MITRE ATT&CK", value: attackText(alert.attack) }]),
  ...(alert.resolvedBy === undefined
    ? []
    : [{ label: "Resolved by", value: oneLine(alert.resolvedBy), isName: true as const }]),
];

const REASONS: Readonly<Record<SummaryReason, string>> = {
  storm: "More notifications came within 10 minutes than are sent one by one. This summary replaces the others.",
  digest: "This is the digest of alerts.",
  quiet_hours: "These notifications came during quiet hours.",
  mute_ended: "These alerts were muted. The mute has ended, and they are not resolved.",
};

const entryOf = ({ level, title, change, lastSeen, url }: SummarizedAlert): Entry => ({
  level,
  title: oneLine(title),
  change,
  at: lastSeen,
  url,
});

const counts = (byName: Readonly<Record<string, number | undefined>>): string =>
  Object.entries(byName)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");

/** `and 37 more: 2 HIGH, 35 LOW`; undefined if nothing is left out. */
export const moreText = (leftOut: LeftOut): string | undefined => {
  const highestFirst = riskLevels.toReversed().flatMap((level) => (leftOut[level] ? [[level, leftOut[level]]] : []));
  const numbers: Record<string, number> = Object.fromEntries(highestFirst);
  const sum = Object.values(numbers).reduce((total, number) => total + number, 0);
  return sum === 0 ? undefined : `and ${sum} more: ${counts(numbers)}`;
};

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

const HEADLINES = {
  "security.alert.raised": ({ level, title }: NotifiedAlert) => `${level}: ${oneLine(title)}`,
  "security.alert.escalated": ({ level, title }: NotifiedAlert) => `Now ${level}: ${oneLine(title)}`,
  "security.alert.resolved": ({ title }: NotifiedAlert) => `Resolved: ${oneLine(title)}`,
} as const;

/** What the notification says to people. */
export const contentOf = (notification: Notification): Content => {
  const nothing = { facts: [], entries: [], leftOut: {} };
  switch (notification.type) {
    case "security.alert.raised":
    case "security.alert.escalated":
    case "security.alert.resolved": {
      const { alert, previousLevel, unacknowledgedMinutes, url } = notification.data;
      const headline =
        unacknowledgedMinutes === undefined
          ? HEADLINES[notification.type](alert)
          : `Not acknowledged, ${alert.level}: ${oneLine(alert.title)}`;
      return {
        ...nothing,
        headline,
        level: alert.level,
        facts: [
          ...alertFacts(alert, previousLevel),
          ...(unacknowledgedMinutes === undefined
            ? []
            : [{ label: "Not acknowledged for", value: plural(unacknowledgedMinutes, "minute") }]),
        ],
        ...(alert.message !== undefined && { paragraph: withLines(alert.message) }),
        link: { label: "Open the alert", url },
      };
    }
    case "security.alerts.summary": {
      const { reason, from, to, total, byLevel, byChange, alerts, leftOut, url } = notification.data;
      return {
        headline: `${plural(total, "alert notification")}`,
        paragraph: REASONS[reason],
        facts: [
          { label: "From", value: from },
          { label: "To", value: to },
          { label: "Levels", value: counts(byLevel) },
          { label: "Changes", value: counts(byChange) },
        ],
        entries: alerts.map(entryOf),
        leftOut,
        link: { label: "Open all alerts", url },
      };
    }
    case "report.created": {
      const { kind, from, to, url } = notification.data;
      const headlines = {
        compliance: `Compliance report of ${dayText(from)}`,
        review: `Security review from ${dayText(from)} to ${dayText(to - 1)}`,
        month: `Monthly report from ${dayText(from)} to ${dayText(to - 1)}`,
      };
      const headline = headlines[kind];
      return { ...nothing, headline, paragraph: "The report is ready.", link: { label: "Open the report", url } };
    }
    case "notification.test":
      return {
        ...nothing,
        headline: "Test notification",
        paragraph: "Alerts will arrive here. An administrator asked for this test.",
        facts: [{ label: "Destination", value: oneLine(notification.data.destination.name), isName: true }],
      };
    case "destination.confirmation":
      return {
        ...nothing,
        headline: "Confirm this e-mail address",
        paragraph:
          "An administrator wants to send security alerts to this address. Nothing else is sent before it is confirmed. If you did not expect this mail, ignore it, or tell us that it was not you.",
        facts: [
          { label: "Destination", value: oneLine(notification.data.destination.name), isName: true },
          { label: "The link ends", value: notification.data.expiresAt },
        ],
      };
  }
};
