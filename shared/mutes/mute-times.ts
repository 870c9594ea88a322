/** When a mute acts, and on which alerts. Pure. Times are epoch ms; the end of a span is exclusive. */
import { isMutable } from "../security/alerts/alert-rules.ts";
import { DAY_MS } from "../terms/hours.ts";
import type { RiskLevel } from "../terms/risk-levels.ts";
import { clockAt, timeOfClock } from "../terms/zoned-time.ts";
import { levelsOf, type MuteScope, type MuteState, type Weekly, weekdays } from "./mute.ts";

/** A time in which a mute acts. */
export type Span = { from: number; until: number };

/** `drainedUntil`: the mute has ended up to this time, even for an instance whose clock is late. */
export type TimedMute = Pick<MuteScope, "from" | "until" | "weekly"> & {
  endedAt?: number | undefined;
  drainedUntil?: number | undefined;
};

const timeOf = (timeOfDay: string): number =>
  (Number(timeOfDay.slice(0, 2)) * 60 + Number(timeOfDay.slice(3))) * 60_000;

const WEEK_DAYS = 7;

/** The span that begins on a day of the zone's clock. @param day midnight, as `clockAt` shows it. */
const spanOfDay = ({ from, to, timeZone }: Weekly, day: number): Span => {
  const lastDay = timeOf(to) > timeOf(from) ? day : day + DAY_MS;
  return { from: timeOfClock(day + timeOf(from), timeZone), until: timeOfClock(lastDay + timeOf(to), timeZone) };
};

/**
 * The spans of a mute that end after a time, in order, cut to its beginning and end. A span of a time that the clock is set
 * forward over is empty, and left out.
 */
function* spansAfter({ from, until, weekly }: TimedMute, after: number): Generator<Span, void, void> {
  if (weekly === undefined) {
    if (until > after) yield { from, until };
    return;
  }
  const start = Math.max(after, from);
  const { timeZone, days } = weekly;
  // A span that began two days ago by the clock has ended, whatever the clock did since.
  const firstDay = Math.floor(clockAt(start, timeZone) / DAY_MS) * DAY_MS - 2 * DAY_MS;
  for (let day = firstDay; ; day += DAY_MS) {
    const weekday = weekdays[new Date(day).getUTCDay()];
    if (weekday === undefined || !days.includes(weekday)) {
      if (day - 2 * DAY_MS > until) return;
      continue;
    }
    const whole = spanOfDay(weekly, day);
    if (whole.from >= until) return;
    const span = { from: Math.max(whole.from, from), until: Math.min(whole.until, until) };
    if (span.until > after && span.from < span.until) yield span;
  }
}

/** The span in which a mute acts at a time; undefined if it does not act. */
export const spanAt = (mute: TimedMute, at: number): Span | undefined => {
  if (mute.endedAt !== undefined || at < mute.from || at >= mute.until) return undefined;
  const [span] = spansAfter(mute, at);
  if (span === undefined || at < span.from) return undefined;
  return span.until > (mute.drainedUntil ?? 0) ? span : undefined;
};

/** Whether a mute acts at any time from `from` on and before `to`. */
export const actsWithin = (mute: TimedMute, { from, to }: { from: number; to: number }): boolean => {
  const until = Math.min(mute.until, mute.endedAt ?? mute.until);
  if (until <= from) return false;
  const [span] = spansAfter({ ...mute, until }, from);
  return span !== undefined && span.from < to;
};

/** The next end of a span after a time, at last the end of the mute. */
export const nextEnd = (mute: TimedMute, after: number): number => {
  for (const span of spansAfter(mute, after)) return span.until;
  return mute.until;
};

/** The last end of a span at or before a time, or the end of the mute; undefined if no span has ended yet. */
export const lastEnd = (mute: TimedMute, at: number): number | undefined => {
  if (mute.endedAt !== undefined) return mute.endedAt;
  if (at >= mute.until) return mute.until;
  let last: number | undefined;
  for (const { until } of spansAfter(mute, at - (WEEK_DAYS + 2) * DAY_MS)) {
    if (until > at) break;
    last = until;
  }
  return last;
};

export const stateOf = (mute: TimedMute, at: number): MuteState => {
  if (mute.endedAt !== undefined || at >= mute.until) return "ended";
  return spanAt(mute, at) === undefined ? "planned" : "active";
};

/** What of an alert decides whether it is muted. */
export type MutedAlert = { rule: string; subject: string; level: RiskLevel; drill?: true | undefined };

/** Whether a mute is about an alert's rule and subject, whatever the time and the alert's level. None is about a drill. */
const isAbout = ({ rules, subject }: Pick<MuteScope, "rules" | "subject">, alert: Omit<MutedAlert, "level">): boolean =>
  isMutable(alert.rule) &&
  alert.drill !== true &&
  (rules === undefined || rules.includes(alert.rule)) &&
  (subject === undefined || subject === alert.subject);

/** A mute that acts, and the span in which it does. */
export type Acting<M> = { mute: M; span: Span };

/** The mutes that act on an alert at a time, in their order. */
export const actingOn = <M extends MuteScope & TimedMute>(
  mutes: readonly M[],
  alert: MutedAlert,
  at: number,
): Acting<M>[] =>
  mutes.flatMap((mute) => {
    if (!isAbout(mute, alert) || !levelsOf(mute).includes(alert.level)) return [];
    const span = spanAt(mute, at);
    return span === undefined ? [] : [{ mute, span }];
  });
