/** A mute as the user types it: what it starts with, what is wrong, and the request that it becomes. Pure. */
import type { Alert, MuteRequest } from "../../api/types.ts";
import { levels } from "../../words/levels.ts";
import { fromLocalInput, instantOf } from "../../words/local-time.ts";

type Level = Alert["level"];
type Weekly = NonNullable<MuteRequest["weekly"]>;

/** Times are as an input of the type `datetime-local` has them. */
export type MuteDraft = {
  /** Undefined: all rules that can be muted. */
  rules?: readonly string[] | undefined;
  /** Empty: all subjects. Only with one rule. */
  subject: string;
  levels: readonly Level[];
  beginning: "now" | "later";
  from: string;
  end: "hour" | "morning" | "week" | "time";
  until: string;
  isWeekly: boolean;
  weekly: Weekly;
  reason: string;
};

/** In the order of a week. */
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** Alerts that say that alarms are off. The API refuses mutes of them. */
const unmutable = [
  "notifications_silenced",
  "notifications_paused",
  "detection_rule_off",
  "evidence_incomplete",
  "alerts_muted",
];

export const isMutable = (rule: string): boolean => !unmutable.includes(rule);

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** As the API bounds a mute: the time until it begins, and its length. */
const LONGEST_MS = 90 * DAY;
/** When the morning is, in the user's zone. */
const MORNING_HOUR = 8;

/** What an alert, or the address of a link, already says. */
export type Given = Partial<Record<"rule" | "subject" | "level", string | undefined>>;

/** Critical alerts are muted only by the user's own choice. @param timeZone the user's */
export const draftFrom = ({ rule, subject, level }: Given, timeZone: string): MuteDraft => ({
  rules: rule === undefined ? undefined : [rule],
  subject: rule === undefined ? "" : (subject ?? ""),
  levels: levels.filter((one) => (level === undefined ? one !== "CRITICAL" : one === level)),
  beginning: "now",
  from: "",
  end: "morning",
  until: "",
  isWeekly: false,
  weekly: { days: ["saturday", "sunday"], from: "00:00", to: "08:00", timeZone },
  reason: "",
});

/** What a link to the form says of an alert. An alert by hand is about itself, so its subject is left out. */
export const givenOf = ({ rule, subject, level }: Pick<Alert, "rule" | "subject" | "level">): Given => ({
  rule,
  subject: rule === "manual" ? undefined : subject,
  level,
});

const morningAfter = (at: number): number => {
  const morning = new Date(at);
  morning.setDate(morning.getDate() + 1);
  return morning.setHours(MORNING_HOUR, 0, 0, 0);
};

/** Epoch milliseconds; undefined if the input is incomplete. A mute that begins at once has `now` as its beginning. */
export const timesOf = (
  { beginning, from, end, until }: MuteDraft,
  now: number,
): { from: number | undefined; until: number | undefined } => {
  const begins = beginning === "now" ? now : instantOf(fromLocalInput(from));
  if (end === "time") return { from: begins, until: instantOf(fromLocalInput(until)) };
  if (begins === undefined) return { from: undefined, until: undefined };
  const ends = { hour: begins + HOUR, morning: morningAfter(begins), week: begins + 7 * DAY };
  return { from: begins, until: ends[end] };
};

export type MuteProblems = Partial<
  Record<"rules" | "levels" | "from" | "until" | "days" | "weekly" | "reason", string>
>;

const TIME = /^\d\d:\d\d$/;

const timeProblems = (draft: MuteDraft, now: number): MuteProblems => {
  const { from, until } = timesOf(draft, now);
  if (from === undefined) return { from: "Enter the day and the time." };
  if (from > now + LONGEST_MS) return { from: "A mute begins at most 90 days from now." };
  if (until === undefined) return { until: "Enter the day and the time." };
  if (until <= Math.max(now, from)) return { until: "The end must be after the beginning, and in the future." };
  return until > Math.max(now, from) + LONGEST_MS ? { until: "A mute ends after at most 90 days." } : {};
};

/** What is to be mended before the form can be sent; empty if nothing. @param now epoch milliseconds */
export const problemsOf = (draft: MuteDraft, now: number): MuteProblems => {
  const { rules, isWeekly, weekly, reason } = draft;
  const { days, from, to } = weekly;
  const weeklyProblem = !(TIME.test(from) && TIME.test(to))
    ? "Enter both times."
    : from === to
      ? "The end must be another time than the beginning."
      : undefined;
  return {
    ...timeProblems(draft, now),
    ...(rules?.length === 0 && { rules: "Choose at least one rule, or all rules." }),
    ...(draft.levels.length === 0 && { levels: "Choose at least one level." }),
    ...(isWeekly && days.length === 0 && { days: "Choose at least one day." }),
    ...(isWeekly && weeklyProblem !== undefined && { weekly: weeklyProblem }),
    ...(reason.trim() === "" && { reason: "Write why, for colleagues and auditors." }),
  };
};

/** The request of a draft without problems. @param now epoch milliseconds */
export const requestOf = (draft: MuteDraft, now: number): MuteRequest => {
  const { rules, subject, beginning, isWeekly, weekly, reason } = draft;
  const { from, until = now } = timesOf(draft, now);
  return {
    ...(rules !== undefined && { rules: [...rules] }),
    ...(rules?.length === 1 && subject !== "" && { subject }),
    levels: [...draft.levels],
    ...(beginning === "later" && from !== undefined && { from }),
    until,
    ...(isWeekly && { weekly }),
    reason: reason.trim(),
    includeCritical: draft.levels.includes("CRITICAL"),
  };
};
