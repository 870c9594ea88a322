/** Sealed hours in words. Pure. docs/evidence.md, "Integrity". */
import type { HourIntegrity, Integrity } from "../../api/types.ts";
import { isOrAre, plural, type Tone } from "../../words/format.ts";
import type { Span } from "./span.ts";

const HOUR = 3_600_000;

type Status = HourIntegrity["status"];

/** The gravest first. */
export const statuses: Readonly<Record<Status, { tone: Tone; name: string; text: string }>> = {
  broken: { tone: "bad", name: "Broken", text: "The stored events are not those that were sealed." },
  expired: { tone: "warn", name: "Expired", text: "An event has expired, and no archive holds it." },
  not_sealed: { tone: "quiet", name: "Not sealed", text: "Before the first hour of the log, or not sealed yet." },
  verified: { tone: "good", name: "Verified", text: "The stored events are those that were sealed." },
};

export const statusNames = Object.keys(statuses) as Status[];

type Counted = { hours: number; events: number };

/** How many hours have each status, and their sealed events. */
export const countsOf = (hours: readonly HourIntegrity[]): Readonly<Record<Status, Counted>> => {
  const of = (status: Status): Counted => {
    const found = hours.filter((one) => one.status === status);
    return { hours: found.length, events: found.reduce((sum, { count }) => sum + count, 0) };
  };
  return { broken: of("broken"), expired: of("expired"), not_sealed: of("not_sealed"), verified: of("verified") };
};

/** Hours in a row of which the same is to be said. */
export type Stretch = Span & { status: Status; events: number; text: string };

/** The hours that are not verified, the newest first. */
export const stretchesOf = (hours: readonly HourIntegrity[]): readonly Stretch[] => {
  const stretches: Stretch[] = [];
  for (const { hour, status, count, problem } of hours) {
    if (status === "verified") continue;
    const text = problem ?? statuses[status].text;
    const last = stretches.at(-1);
    if (last !== undefined && last.until === hour && last.status === status && last.text === text) {
      last.until = hour + HOUR;
      last.events += count;
    } else stretches.push({ since: hour, until: hour + HOUR, status, events: count, text });
  }
  return stretches.reverse();
};

export type Erased = { erasure: string; events: number; hours: number };

/** The erasures that emptied sealed events. */
export const erasedOf = (hours: readonly HourIntegrity[]): readonly Erased[] => {
  const found = Map.groupBy(
    hours.flatMap(({ erased = [] }) => erased),
    ({ erasure }) => erasure,
  );
  return [...found].map(([erasure, counts]) => ({
    erasure,
    events: counts.reduce((sum, { count }) => sum + count, 0),
    hours: counts.length,
  }));
};

/** From the first sealed hour to the last one: the API proves no others. Undefined if no hour is sealed. */
export const sealedSpanOf = (hours: readonly HourIntegrity[]): Span | undefined => {
  const sealed = hours.filter(({ status }) => status !== "not_sealed");
  const [first, last] = [sealed[0], sealed.at(-1)];
  return first && last && { since: first.hour, until: last.hour + HOUR };
};

/** The answer in one sentence. */
export const verdictOf = ({ hours, log }: Integrity): { tone: Tone; word: string; text: string } => {
  const { broken, expired, not_sealed: open, verified } = countsOf(hours);
  if (log === "broken" || broken.hours > 0) {
    const which = broken.hours === 0 ? "" : ` ${plural(broken.hours, "hour")} ${isOrAre(broken.hours)} broken.`;
    const state = log === "broken" ? " The log is not what its newest checkpoint signs." : "";
    return { tone: "bad", word: "Broken", text: `The evidence does not hold.${state}${which}` };
  }
  if (verified.hours === 0 && expired.hours === 0)
    return { tone: "quiet", word: "Not sealed", text: "No hour of this period is sealed." };
  if (expired.hours > 0 || open.hours > 0)
    return {
      tone: "warn",
      word: "Incomplete",
      text: `What is sealed is whole: ${verified.hours} of ${plural(hours.length, "hour")} ${isOrAre(verified.hours)} verified.`,
    };
  return { tone: "good", word: "Whole", text: `All ${plural(hours.length, "hour")} are verified.` };
};
