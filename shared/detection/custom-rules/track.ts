/**
 * A track is what an own rule counts in one group, in order of time. Windows slide over it; each ends with an event of the
 * hour. From hour to hour only the part is carried that later windows can need. Pure.
 *
 * Positions stand for times. A window of up to an hour slides exactly: its positions are milliseconds. A longer one slides in
 * steps of 5 minutes: a position is the number of the step that contains the time. A window of `span` positions that ends at
 * a position excludes its start: `(position - span, position]`.
 */
import { MINUTE_MS } from "../../terms/hours.ts";
import { EXACT_MINUTES } from "./custom-rule.ts";

const STEP_MS = 5 * MINUTE_MS;

export type Scale = { span: number; positionOf: (at: number) => number };

export const scaleOf = (windowMinutes: number): Scale =>
  windowMinutes <= EXACT_MINUTES
    ? { span: windowMinutes * MINUTE_MS, positionOf: (at) => at }
    : // A step excludes its start, as windows do.
      { span: (windowMinutes * MINUTE_MS) / STEP_MS, positionOf: (at) => Math.ceil(at / STEP_MS) };

/** `weight`: the events that it stands for. `value`: a hash of the value, if distinct values are counted. */
export type Entry = { position: number; weight: number; value?: string | undefined };

/** What a window amounts to: events, or distinct values. */
const createTally = ({ weightAt, valueAt }: Series, isDistinct: boolean) => {
  const values = new Map<string, number>();
  let events = 0;
  const changeEvents = (index: number, sign: 1 | -1): void => {
    events += sign * weightAt(index);
  };
  const changeValues = (index: number, sign: 1 | -1): void => {
    const value = valueAt(index);
    if (value === undefined) return;
    const count = (values.get(value) ?? 0) + sign;
    if (count === 0) values.delete(value);
    else values.set(value, count);
  };
  return { change: isDistinct ? changeValues : changeEvents, amount: () => (isDistinct ? values.size : events) };
};

/** What a group counts, in order of position, without an object for each of its events. */
export type Series = {
  length: number;
  positionAt: (index: number) => number;
  weightAt: (index: number) => number;
  /** Only if distinct values are counted. */
  valueAt: (index: number) => string | undefined;
};

/** The indexes of a window's first and last entry, both inclusive, and what it amounts to. */
export type FullWindow = { from: number; to: number; amount: number };

/**
 * The first of the largest windows that end with an event of the hour.
 * @param firstOfHour the index of the hour's first event.
 */
export const largestWindow = (
  series: Series,
  firstOfHour: number,
  { span, isDistinct }: { span: number; isDistinct: boolean },
): FullWindow | undefined => {
  const { length, positionAt } = series;
  const tally = createTally(series, isDistinct);
  let largest: FullWindow | undefined;
  let from = 0;
  for (let to = 0; to < length; to++) {
    const position = positionAt(to);
    tally.change(to, 1);
    for (; positionAt(from) <= position - span; from++) tally.change(from, -1);
    if (to < firstOfHour || (to + 1 < length && positionAt(to + 1) === position)) continue;
    const amount = tally.amount();
    if (largest === undefined || amount > largest.amount) largest = { from, to, amount };
  }
  return largest;
};

type Kept = { from: number; least: number };

/** The latest events that windows of later hours can need: as many as complete a window with one more. */
const latestEvents = ({ length, positionAt, weightAt }: Series, { from, least }: Kept): Entry[] => {
  const kept: Entry[] = [];
  let last: Entry | undefined;
  let events = 0;
  for (let index = length - 1; index >= 0; index--) {
    const position = positionAt(index);
    if (position <= from) break;
    const weight = weightAt(index);
    if (last?.position === position) last.weight += weight;
    else if (events >= least) break;
    else {
      last = { position, weight };
      kept.push(last);
    }
    events += weight;
  }
  return kept.reverse();
};

/** The latest occurrence of each value; as many values as complete a window. */
const latestValues = ({ length, positionAt, valueAt }: Series, { from, least }: Kept): Entry[] => {
  const latest = new Map<string, number>();
  let oldest = Number.POSITIVE_INFINITY;
  for (let index = length - 1; index >= 0; index--) {
    const position = positionAt(index);
    // Of values with one position, their order decides which are kept.
    if (position <= from || (latest.size >= least && position < oldest)) break;
    const value = valueAt(index);
    if (value === undefined || latest.has(value)) continue;
    latest.set(value, position);
    oldest = position;
  }
  return [...latest]
    .map(([value, position]) => ({ position, weight: 1, value }))
    .sort((a, b) => b.position - a.position || (a.value < b.value ? -1 : 1))
    .slice(0, least)
    .reverse();
};

/**
 * The entries to carry into later hours.
 * @param from no later window includes this position or an earlier one.
 * @param threshold of the rule.
 */
export const carriedEntries = (
  series: Series,
  { from, threshold, isDistinct }: { from: number; threshold: number; isDistinct: boolean },
): Entry[] =>
  isDistinct ? latestValues(series, { from, least: threshold }) : latestEvents(series, { from, least: threshold - 1 });
