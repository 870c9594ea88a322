/** The form of a destination: what it starts with, what is wrong with it, and the request that it becomes. Pure. */
import type { Destination, DestinationChangeRequest, DestinationRequest } from "../../api/types.ts";
import { levels } from "../../words/levels.ts";
import type { DestinationType } from "./destination-words.ts";

export const changes = ["raised", "escalated", "resolved"] as const;
export const rhythms = ["daily", "weekly", "monthly"] as const;

/** What the form has, without the URL or the address: a URL may be a secret, and drafts are stored. */
export type Draft = {
  name: string;
  levels: readonly (typeof levels)[number][];
  changes: readonly (typeof changes)[number][];
  /** Undefined: all rules. */
  rules?: readonly string[] | undefined;
  isQuiet: boolean;
  quiet: { from: string; to: string; timeZone: string; exceptCritical: boolean };
  every: "each" | "hour" | "day";
  at: string;
  digestZone: string;
  reports: readonly (typeof rhythms)[number][];
  isEscalated: boolean;
  /** `afterMinutes` as typed. */
  escalate: { levels: readonly (typeof levels)[number][]; afterMinutes: string; to: string };
};

/** @param timeZone the user's. */
export const emptyDraft = (timeZone: string): Draft => ({
  name: "",
  levels,
  changes,
  rules: undefined,
  isQuiet: false,
  quiet: { from: "22:00", to: "07:00", timeZone, exceptCritical: true },
  every: "each",
  at: "08:00",
  digestZone: timeZone,
  reports: [],
  isEscalated: false,
  escalate: { levels: ["CRITICAL", "HIGH"], afterMinutes: "15", to: "" },
});

/** The form with a destination's present values. @param timeZone the user's, for what the destination does not have. */
export const draftOf = (destination: Destination, timeZone: string): Draft => {
  const { name, filter, quietHours, digest, reports, escalate } = destination;
  const empty = emptyDraft(timeZone);
  return {
    name,
    levels: filter.levels ?? levels,
    changes: filter.changes ?? changes,
    rules: filter.rules,
    isQuiet: quietHours !== undefined,
    quiet: quietHours === undefined ? empty.quiet : { exceptCritical: true, ...quietHours },
    every: digest?.every ?? "each",
    at: digest?.at ?? empty.at,
    digestZone: digest?.timeZone ?? timeZone,
    reports: reports ?? [],
    isEscalated: escalate !== undefined,
    escalate: escalate === undefined ? empty.escalate : { ...escalate, afterMinutes: String(escalate.afterMinutes) },
  };
};

type Problem = "name" | "levels" | "changes" | "rules" | "quiet" | "at";
export type DraftProblems = Partial<Record<Problem | "escalateLevels" | "escalateAfter" | "escalateTo", string>>;

const TIME = /^\d\d:\d\d$/;

/** As the API bounds it. */
const ESCALATE_MINUTES = { min: 5, max: 1_440 };

const escalationProblems = ({ isEscalated, escalate: { levels: chosen, afterMinutes, to } }: Draft): DraftProblems => {
  if (!isEscalated) return {};
  const { min, max } = ESCALATE_MINUTES;
  const minutes = /^\d{1,4}$/.test(afterMinutes.trim()) ? Number(afterMinutes) : 0;
  return {
    ...(chosen.length === 0 && { escalateLevels: "Choose at least one level." }),
    ...((minutes < min || minutes > max) && { escalateAfter: `Type a whole number from ${min} to ${max}.` }),
    ...(to === "" && { escalateTo: "Choose where the alert goes." }),
  };
};

/** What is to be mended before the form can be sent; empty if nothing. */
export const problemsOf = (draft: Draft): DraftProblems => {
  const { name, rules, isQuiet, quiet, every, at } = draft;
  const quietProblem = !(TIME.test(quiet.from) && TIME.test(quiet.to))
    ? "Enter both times."
    : quiet.from === quiet.to
      ? "The end must be another time than the beginning."
      : undefined;
  return {
    ...(name.trim() === "" && { name: "Enter a name." }),
    ...(draft.levels.length === 0 && { levels: "Choose at least one level." }),
    ...(draft.changes.length === 0 && draft.reports.length === 0 && { changes: "Choose at least one change." }),
    ...(rules?.length === 0 && { rules: "Choose at least one rule, or all rules." }),
    ...(isQuiet && quietProblem !== undefined && { quiet: quietProblem }),
    ...(every === "day" && !TIME.test(at) && { at: "Enter the time of the summary." }),
    ...escalationProblems(draft),
  };
};

type Common = Pick<DestinationChangeRequest, "name" | "filter" | "quietHours" | "digest" | "escalate">;

/** A choice of everything is no filter. */
const commonOf = (draft: Draft): Common => {
  const { name, rules, isQuiet, quiet, every, at, digestZone, isEscalated, escalate } = draft;
  return {
    name: name.trim(),
    filter: {
      ...(draft.levels.length < levels.length && { levels: [...draft.levels] }),
      ...(rules !== undefined && { rules: [...rules] }),
      ...(draft.changes.length < changes.length && { changes: [...draft.changes] }),
    },
    ...(isQuiet && { quietHours: quiet }),
    ...(every !== "each" && { digest: { every, at, timeZone: digestZone } }),
    ...(isEscalated && {
      escalate: { levels: [...escalate.levels], afterMinutes: Number(escalate.afterMinutes), to: escalate.to },
    }),
  };
};

const reportsOf = ({ reports }: Draft) => (reports.length === 0 ? {} : { reports: [...reports] });

/** @param target the URL, or the e-mail address. */
export const requestOf = (type: DestinationType, draft: Draft, target: string): DestinationRequest =>
  type === "email"
    ? { type, address: target.trim(), ...commonOf(draft), ...reportsOf(draft) }
    : { type, url: target.trim(), ...commonOf(draft) };

/** @param target undefined or empty if it stays. */
export const changeRequestOf = (type: DestinationType, draft: Draft, target: string): DestinationChangeRequest => ({
  ...commonOf(draft),
  ...(type === "email" && reportsOf(draft)),
  ...(target.trim() !== "" && { [type === "email" ? "address" : "url"]: target.trim() }),
});

/** The request that changes nothing: a change of the API replaces all fields. */
export const unchanged = ({
  name,
  filter,
  quietHours,
  digest,
  reports,
  escalate,
}: Destination): DestinationChangeRequest => ({
  name,
  filter,
  ...(quietHours !== undefined && { quietHours }),
  ...(digest !== undefined && { digest }),
  ...(reports !== undefined && { reports }),
  ...(escalate !== undefined && { escalate }),
});
