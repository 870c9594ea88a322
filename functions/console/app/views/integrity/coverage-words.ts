/** The sums of a month in words. Pure. docs/evidence.md, "Coverage". */
import type { Coverage, CoveredDay } from "../../api/types.ts";
import { isOrAre, plural, type Tone } from "../../words/format.ts";

const SHOWN_MONTHS = 13;

/** The month of a time in UTC and those before it, such as "2026-11", the latest first. @param now epoch milliseconds */
export const monthsUntil = (now: number): readonly string[] => {
  const date = new Date(now);
  return Array.from({ length: SHOWN_MONTHS }, (_, back) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
};

const hasArchive = ({ days }: Coverage): boolean => days.some(({ archived }) => archived > 0);

/** The days whose sums differ. On the day on which the feed for a SIEM began, it lacks the hours before. */
export const unequalDays = (coverage: Coverage): readonly CoveredDay[] => {
  const { days, isWhole } = coverage;
  if (isWhole) return [];
  const isArchived = hasArchive(coverage);
  return days.filter(({ recorded, counted, sealed, archived, fed }, i) => {
    const feedBegan = i > 0 && days[i - 1]?.fed === undefined;
    const sums = [counted, sealed, isArchived ? archived : recorded, feedBegan ? recorded : (fed ?? recorded)];
    return sums.some((sum) => sum !== recorded);
  });
};

/** The hours with events that detection has not judged. */
const unjudgedHours = ({ days }: Coverage): number =>
  days.flatMap(({ notJudged }) => notJudged).filter(({ reason }) => reason !== "no_events").length;

export const verdictOfMonth = (coverage: Coverage): { tone: Tone; word: string; text: string } => {
  const { days, isWhole } = coverage;
  const unequal = unequalDays(coverage).length;
  if (unequal > 0) return { tone: "bad", word: "Unequal", text: `The sums of ${plural(unequal, "day")} differ.` };
  if (!isWhole)
    return { tone: "bad", word: "Incomplete", text: "The sums of an hour differ, or a day has none that is over." };
  if (days.length === 0)
    return { tone: "quiet", word: "No sums", text: "Each day is summed in the night after it. None is yet." };
  const also = hasArchive(coverage) ? "counted, sealed and archived" : "counted and sealed";
  return {
    tone: "good",
    word: "Whole",
    text: `On ${plural(days.length, "day")}, as many events are ${also} as were recorded.`,
  };
};

/** Undefined if detection has judged all hours with events. */
export const unjudgedInWords = (coverage: Coverage): string | undefined => {
  const hours = unjudgedHours(coverage);
  return hours === 0 ? undefined : `${plural(hours, "hour")} with events ${isOrAre(hours)} not judged by detection.`;
};
