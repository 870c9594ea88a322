/**
 * Counters: how many events of each type, category and risk level there are, how many of them failed, and how long they
 * took. Counters of two periods add up to the counters of both, so sums of sums are exact. Pure.
 */
import type { RiskLevel } from "../../terms/risk-levels.ts";
import type { Category, SecurityEvent } from "../security-event.ts";

/** The counts of one combination of type, category and level. All are integers, so the order of adding does not matter. */
export type Counter = {
  eventType: string;
  category: Category;
  riskLevel: RiskLevel;
  events: number;
  failures: number;
  /** How many of the events have a duration. */
  timed: number;
  /** The sum of those durations in microseconds. */
  totalMicroseconds: number;
};

/** One counter per combination that occurs, in ascending order of the combination. */
export type Counters = readonly Counter[];

/** The fields of an event that are counted. `ms` is its metadata's durationMs; a negative duration counts as 0. */
export type CountedEvent = Pick<SecurityEvent, "eventType" | "category" | "riskLevel" | "success"> & {
  ms?: number | undefined;
};

/** The filters of a selection that counters can answer. */
type CounterFilters = { [Name in "eventType" | "category" | "riskLevel"]?: Counter[Name] | undefined };

/** A sum stops at 71 years, before it would lose digits. */
const MAX_MICROSECONDS = Math.floor(Number.MAX_SAFE_INTEGER / 4);

const microseconds = (ms: number): number => Math.min(Math.round(Math.max(0, ms) * 1_000), MAX_MICROSECONDS);

/** Adds up events and counters. */
export const createTally = () => {
  const sums = new Map<string, Counter>();
  const addCounter = (counter: Counter) => {
    const { eventType, category, riskLevel } = counter;
    const key = `${eventType} ${category} ${riskLevel}`;
    const sum = sums.get(key);
    if (sum === undefined) return void sums.set(key, { ...counter });
    sum.events += counter.events;
    sum.failures += counter.failures;
    sum.timed += counter.timed;
    sum.totalMicroseconds = Math.min(sum.totalMicroseconds + counter.totalMicroseconds, MAX_MICROSECONDS);
  };
  return {
    add: ({ eventType, category, riskLevel, success, ms }: CountedEvent) =>
      addCounter({
        eventType,
        category,
        riskLevel,
        events: 1,
        failures: success ? 0 : 1,
        timed: ms === undefined ? 0 : 1,
        totalMicroseconds: ms === undefined ? 0 : microseconds(ms),
      }),
    addAll: (counters: Counters) => counters.forEach(addCounter),
    counters: (): Counters => [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => ({ ...sum })),
  };
};

type Tally = ReturnType<typeof createTally>;

/** The counters of each interval in which something was counted, by its start in epoch ms. */
export type CountedIntervals = ReadonlyMap<number, Counters>;

/** Adds up events and counters by interval. @param length of an interval in ms: an hour or a day; all time if undefined. */
export const createIntervalTally = (length: number | undefined) => {
  const tallies = new Map<number, Tally>();
  return {
    /** The tally of the interval of a time. */
    at(time: number): Tally {
      const start = length === undefined ? 0 : Math.floor(time / length) * length;
      const tally = tallies.get(start) ?? createTally();
      tallies.set(start, tally);
      return tally;
    },
    intervals: (): CountedIntervals => new Map([...tallies].map(([start, tally]) => [start, tally.counters()])),
  };
};

/** The sum of several counters. */
export const mergeCounters = (parts: readonly Counters[]): Counters => {
  const tally = createTally();
  for (const part of parts) tally.addAll(part);
  return tally.counters();
};

/** The counters of the events that match every given filter. */
export const selectCounters = (counters: Counters, { eventType, category, riskLevel }: CounterFilters): Counters =>
  counters.filter(
    (counter) =>
      (eventType === undefined || counter.eventType === eventType) &&
      (category === undefined || counter.category === category) &&
      (riskLevel === undefined || counter.riskLevel === riskLevel),
  );
