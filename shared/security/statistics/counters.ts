/**
 * Counters: how many events of each type, category and risk level there are, how many of them failed, and how long they
 * took. Counters of two periods add up to the counters of both, so sums of sums are exact. Pure.
 */
import type { RiskLevel } from "../../terms/risk-levels.ts";
import type { Category, SecurityEvent } from "../security-event.ts";

/** Of the events of one combination. Whole numbers all, so that no order of adding changes a sum. */
export type Counter = {
  eventType: string;
  category: Category;
  riskLevel: RiskLevel;
  events: number;
  failures: number;
  /** How many of them say how long they took. */
  timed: number;
  /** How long those took together: microseconds. */
  totalMicroseconds: number;
};

/** One counter per combination that occurs, in ascending order of the combination. */
export type Counters = readonly Counter[];

/** What counts of an event. `ms` is its metadata's durationMs: a negative one counts as 0. */
export type CountedEvent = Pick<SecurityEvent, "eventType" | "category" | "riskLevel" | "success"> & {
  ms?: number | undefined;
};

/** The parts of a selection that counters can answer. */
export type CounterFilters = { [Name in "eventType" | "category" | "riskLevel"]?: Counter[Name] | undefined };

/** A sum stops here rather than lose its last digits: 71 years. */
const MAX_MICROSECONDS = Math.floor(Number.MAX_SAFE_INTEGER / 4);

const microseconds = (ms: number): number => Math.min(Math.round(Math.max(0, ms) * 1_000), MAX_MICROSECONDS);

const keyOf = ({ eventType, category, riskLevel }: Pick<Counter, "eventType" | "category" | "riskLevel">) =>
  `${eventType} ${category} ${riskLevel}`;

/** A sum in the making. */
export type Tally = { add(event: CountedEvent): void; addAll(counters: Counters): void; counters(): Counters };

export const createTally = (): Tally => {
  const sums = new Map<string, Counter>();
  const addCounter = (counter: Counter) => {
    const key = keyOf(counter);
    const sum = sums.get(key);
    if (sum === undefined) return void sums.set(key, { ...counter });
    sum.events += counter.events;
    sum.failures += counter.failures;
    sum.timed += counter.timed;
    sum.totalMicroseconds = Math.min(sum.totalMicroseconds + counter.totalMicroseconds, MAX_MICROSECONDS);
  };
  return {
    add: ({ eventType, category, riskLevel, success, ms }) =>
      addCounter({
        eventType,
        category,
        riskLevel,
        events: 1,
        failures: success ? 0 : 1,
        timed: ms === undefined ? 0 : 1,
        totalMicroseconds: ms === undefined ? 0 : microseconds(ms),
      }),
    addAll: (counters) => counters.forEach(addCounter),
    counters: () => [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => ({ ...sum })),
  };
};

/** The counters of all the events that the parts counted. */
export const mergeCounters = (parts: readonly Counters[]): Counters => {
  const tally = createTally();
  for (const part of parts) tally.addAll(part);
  return tally.counters();
};

/** The counters of those events that fit every filter given. */
export const selectCounters = (counters: Counters, { eventType, category, riskLevel }: CounterFilters): Counters =>
  counters.filter(
    (counter) =>
      (eventType === undefined || counter.eventType === eventType) &&
      (category === undefined || counter.category === category) &&
      (riskLevel === undefined || counter.riskLevel === riskLevel),
  );
