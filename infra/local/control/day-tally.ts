import type { DayObservation, Observation, Observe } from "../core/observation.ts";

/** Sums up each day of UTC while the clock moves. */
export type DayTally = {
  /** Counts a schedule or an event of the day. */
  count(observation: Observation): void;
  /** The clock starts to move. Epoch ms, as below. */
  begin(nowMs: number): void;
  /** The clock moves on; reports the days that are over and in which something happened. */
  moveTo(epochMs: number): void;
  /** The clock has stopped; reports the last day. */
  end(nowMs: number): void;
};

const dayOf = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 10);

/** @param options.invocations how many the functions have had so far */
export const createDayTally = (options: { observe: Observe; invocations: () => number }): DayTally => {
  const { observe, invocations } = options;
  let day = "";
  let before = 0;
  let startedAt = 0;
  let schedules: Record<string, number> = {};
  let events: Record<string, number> = {};

  const startDay = (epochMs: number) => {
    day = dayOf(epochMs);
    before = invocations();
    startedAt = performance.now();
    schedules = {};
    events = {};
  };
  const report = (stoppedAt?: number) => {
    const elapsedMs = Math.round(performance.now() - startedAt);
    const counts = { schedules, events, invocations: invocations() - before };
    const summary: DayObservation = { kind: "clock", day, ...counts, elapsedMs };
    observe(stoppedAt === undefined ? summary : { ...summary, stoppedAt });
  };

  return {
    count(observation) {
      if (observation.kind === "schedule") schedules[observation.name] = (schedules[observation.name] ?? 0) + 1;
      if (observation.kind === "event") events[observation.detailType] = (events[observation.detailType] ?? 0) + 1;
    },
    begin: startDay,
    moveTo(epochMs) {
      if (dayOf(epochMs) === day) return;
      if (invocations() > before || Object.keys(events).length > 0) report();
      startDay(epochMs);
    },
    end: report,
  };
};
