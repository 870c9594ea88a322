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

/** What the entries of a window amount to: events, or distinct values. */
const createTally = (isDistinct: boolean) => {
  const values = new Map<string, number>();
  let events = 0;
  const change = ({ weight, value }: Entry, sign: 1 | -1): void => {
    events += sign * weight;
    if (!isDistinct || value === undefined) return;
    const count = (values.get(value) ?? 0) + sign;
    if (count === 0) values.delete(value);
    else values.set(value, count);
  };
  return { change, amount: () => (isDistinct ? values.size : events) };
};

/** The indexes of a window's first and last entry, both inclusive, and what it amounts to. */
export type FullWindow = { from: number; to: number; amount: number };

/**
 * The first of the largest windows that end with an entry of the hour.
 * @param entries in order of position. @param firstOfHour the index of the hour's first entry.
 */
export const largestWindow = (
  entries: readonly Entry[],
  firstOfHour: number,
  { span, isDistinct }: { span: number; isDistinct: boolean },
): FullWindow | undefined => {
  const tally = createTally(isDistinct);
  let largest: FullWindow | undefined;
  let from = 0;
  for (const [to, entry] of entries.entries()) {
    tally.change(entry, 1);
    for (
      let first = entries[from];
      first !== undefined && first.position <= entry.position - span;
      first = entries[from]
    ) {
      tally.change(first, -1);
      from++;
    }
    if (to < firstOfHour || entries[to + 1]?.position === entry.position) continue;
    const amount = tally.amount();
    if (largest === undefined || amount > largest.amount) largest = { from, to, amount };
  }
  return largest;
};

/** The latest events that windows of later hours can need: as many as complete a window with one more. */
const latestEvents = (entries: readonly Entry[], least: number): Entry[] => {
  const kept: Entry[] = [];
  let events = 0;
  for (const { position, weight } of entries.toReversed()) {
    const later = kept.at(-1);
    if (later?.position === position) later.weight += weight;
    else if (events >= least) break;
    else kept.push({ position, weight });
    events += weight;
  }
  return kept.reverse();
};

/** The latest occurrence of each value; as many values as complete a window. */
const latestValues = (entries: readonly Entry[], least: number): Entry[] => {
  const latest = new Map<string, number>();
  for (const { value, position } of entries) if (value !== undefined) latest.set(value, position);
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
  entries: readonly Entry[],
  { from, threshold, isDistinct }: { from: number; threshold: number; isDistinct: boolean },
): Entry[] => {
  const left = entries.filter(({ position }) => position > from);
  return isDistinct ? latestValues(left, threshold) : latestEvents(left, threshold - 1);
};
