/**
 * Findings that were made at once and that stored events do not give again: a preview counts them as they were raised, by
 * the occurrences of their alerts. Pure. docs/rules.md, "Previews".
 */
import { settingsOf, withLevel } from "../detection/rule-settings.ts";
import type { PeriodAlert } from "../security/alerts/alert-period-store.ts";
import { accountRules, type Finding, KEY_RULE } from "../security/alerts/finding.ts";
import { timeOfEventId } from "../security/event-id.ts";
import { startOfHour } from "../terms/hours.ts";
import type { PastFinding, Side } from "./judge-past-hour.ts";

type AtOnceRule = (typeof accountRules)[number] | typeof KEY_RULE;

const isAtOnce = (rule: string): rule is AtOnceRule => rule === KEY_RULE || accountRules.some((one) => one === rule);

/** Of an alert whose rule makes findings of events: an occurrence is the event's id. A key is found once. */
const findingsOf = ({ subject, title, level, firstSeen, occurrences }: PeriodAlert, rule: AtOnceRule): PastFinding[] =>
  occurrences.map((occurrence) => {
    const at = timeOfEventId(occurrence);
    const raisedAt = at ?? firstSeen;
    const finding: Finding = {
      rule,
      subject,
      title,
      level,
      occurrence,
      eventIds: at === undefined ? [] : [occurrence],
      evidence: { count: 1 },
      firstSeen: raisedAt,
      lastSeen: raisedAt,
    };
    return { finding, raisedAt };
  });

/** By the beginning of their hour, epoch ms. */
export const raisedByHour = (alerts: readonly PeriodAlert[]): ReadonlyMap<number, readonly PastFinding[]> =>
  Map.groupBy(
    alerts.flatMap((alert) => (isAtOnce(alert.rule) ? findingsOf(alert, alert.rule) : [])),
    ({ raisedAt }) => startOfHour(raisedAt),
  );

/** Those that a side's settings let through. Of whom a finding is, its subject says, if it is about an actor. */
export const ofSide = (raised: readonly PastFinding[], { settings }: Side): PastFinding[] =>
  raised.flatMap(({ finding, raisedAt }) => {
    if (settings === undefined) return [];
    const { enabled, level, known } = settingsOf(settings, finding.rule as AtOnceRule);
    const isKnown = known.users.some((user) => finding.subject === `actor:${user}`);
    return enabled && !isKnown ? [{ finding: withLevel(finding, level), raisedAt }] : [];
  });
