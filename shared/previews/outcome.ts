/** Counts the findings of a period: those of the present settings, those of the changed ones, and the difference. Pure. */

import type { MuteScope } from "../mutes/mute.ts";
import { actingOn } from "../mutes/mute-times.ts";
import { dayName } from "../terms/hours.ts";
import type { RiskLevel } from "../terms/risk-levels.ts";
import { isAtLeast, riskLevels } from "../terms/risk-levels.ts";
import type { PastFinding } from "./judge-past-hour.ts";
import { createNotified, type NotifiedInput, type NotifiedState } from "./notified.ts";
import { MAX_SAMPLES, type PreviewOutcome, type PreviewSample } from "./preview.ts";

const SAMPLE_EVENTS = 10;

export type Found = ReadonlyMap<string, PastFinding>;

/** One finding for each rule and subject of an hour: of several, the first of the highest level. */
export const oneEach = (findings: readonly PastFinding[]): Map<string, PastFinding> => {
  const found = new Map<string, PastFinding>();
  for (const one of findings) {
    const key = `${one.finding.rule} ${one.finding.subject}`;
    const before = found.get(key);
    if (before === undefined) found.set(key, one);
    else {
      const finding = isAtLeast(before.finding.level, one.finding.level) ? before.finding : one.finding;
      found.set(key, { finding, raisedAt: Math.min(before.raisedAt, one.raisedAt) });
    }
  }
  return found;
};

/** A value of JSON, for checkpoints. */
export type OutcomeState = {
  alerts: number;
  byLevel: Partial<Record<RiskLevel, number>>;
  byDay: Record<string, number>;
  notified: NotifiedState;
};

export const newOutcomeState = (notified: NotifiedState): OutcomeState => ({
  alerts: 0,
  byLevel: {},
  byDay: {},
  notified,
});

/** @param isSilent whether the findings of a rule are not notified: an own rule of mode `dryRun`. */
export const createOutcome = (input: NotifiedInput & { isSilent: (rule: string) => boolean }, stored: OutcomeState) => {
  const notified = createNotified(input, stored.notified);
  const { byLevel, byDay } = stored;
  let { alerts } = stored;
  return {
    /** @param hour its start, epoch ms. */
    add(found: Found, hour: number): void {
      const day = dayName(hour);
      const inOrder = [...found.values()].sort((a, b) => a.raisedAt - b.raisedAt);
      for (const { finding, raisedAt } of inOrder) {
        const { rule, subject, level } = finding;
        alerts++;
        byLevel[level] = (byLevel[level] ?? 0) + 1;
        byDay[day] = (byDay[day] ?? 0) + 1;
        if (!input.isSilent(rule)) notified.take({ rule, subject, level, at: raisedAt });
      }
    },
    state: (): OutcomeState => ({ alerts, byLevel, byDay, notified: notified.state() }),
    /** @param to the end of the period, epoch ms: mutes that end later send nothing in it. */
    end(to: number): PreviewOutcome {
      notified.release(to);
      const { notifications, atNight } = notified.state();
      const levels = riskLevels.filter((level) => byLevel[level] !== undefined);
      return {
        alerts,
        byLevel: Object.fromEntries(levels.map((level) => [level, byLevel[level]])),
        byDay,
        notifications,
        atNight,
      };
    },
  };
};

const sampleOf = ({ finding }: PastFinding, hour: number): PreviewSample => {
  const { rule, subject, title, level, evidence, firstSeen, lastSeen, eventIds } = finding;
  return {
    rule,
    subject,
    title,
    level,
    hour,
    count: evidence.count,
    firstSeen,
    lastSeen,
    eventIds: eventIds.slice(-SAMPLE_EVENTS),
  };
};

/** The samples with those of a later hour. */
const withSamples = (before: readonly PreviewSample[], found: readonly PastFinding[], hour: number): PreviewSample[] =>
  [...found.map((one) => sampleOf(one, hour)), ...before].slice(0, MAX_SAMPLES);

/** A value of JSON, for checkpoints. Newest first. */
export type Difference = { added: PreviewSample[]; removed: PreviewSample[]; withheld: PreviewSample[] };

export const noDifference: Difference = { added: [], removed: [], withheld: [] };

/** @param mute the previewed one. @param hour its start, epoch ms. */
export const withHour = (
  { added, removed, withheld }: Difference,
  { now, changed, mute }: { now: Found; changed: Found; mute: MuteScope | undefined },
  hour: number,
): Difference => {
  const without = (found: Found, other: Found) => [...found].flatMap(([key, one]) => (other.has(key) ? [] : [one]));
  const muted =
    mute === undefined
      ? []
      : [...changed.values()].filter(({ finding, raisedAt }) => actingOn([mute], finding, raisedAt).length > 0);
  return {
    added: withSamples(added, without(changed, now), hour),
    removed: withSamples(removed, without(now, changed), hour),
    withheld: withSamples(withheld, muted, hour),
  };
};
