import { join } from "node:path";
import * as z from "zod";
import type { Clock } from "./core/clock.ts";
import { readDataFile, writeDataFile } from "./core/data-file.ts";
import type { ScheduleModel } from "./core/model.ts";
import { type Occurrences, parseScheduleExpression } from "./schedule-expression.ts";
import type { FireSchedule } from "./scheduled-event.ts";

/** When each schedule was first seen, by name: rates are counted from there. */
const CreationTimes = z.record(z.string(), z.number());
/** A timer waits no longer: setTimeout takes 2^31 ms at most, and a machine that slept is late only by so much. */
const MAX_WAIT_MS = 60_000;

/** Epoch milliseconds; without `nextAt` it is disabled or never falls due again. */
export type ScheduleState = { name: string; nextAt?: number };
export type Due = { name: string; at: number };

export type Schedules = {
  list(): ScheduleState[];
  /** The next schedule to fall due at or before that time. */
  nextDue(untilMs: number): Due | undefined;
  /** Fires what is due and lets its next occurrence be the one after. Resolves when its targets have finished. */
  fireDue(due: Due): Promise<void>;
  /** Fires one now, out of turn; undefined where there is none of that name. */
  fireNow(name: string): Promise<void> | undefined;
  /** From now on schedules fire as real time passes, until `pause`, or for good until `stop`. */
  resume(): void;
  pause(): void;
  stop(): void;
};

type Entry = { schedule: ScheduleModel; occurrences: Occurrences; nextAt: number | undefined };

/**
 * The schedules of the stack, on the local cloud's clock. What fell due while the local cloud did not run is not made up for.
 * @throws Error naming the schedule whose expression is not valid.
 */
export const createSchedules = (options: {
  schedules: readonly ScheduleModel[];
  dataDirectory: string;
  clock: Pick<Clock, "now">;
  fire: FireSchedule;
}): Schedules => {
  const { clock, fire } = options;
  const created = creationTimes(options.schedules, options.dataDirectory, clock.now());
  const entries: Entry[] = options.schedules.map((schedule) => {
    const occurrences = parseScheduleExpression(schedule.expression, created[schedule.name] ?? clock.now());
    return { schedule, occurrences, nextAt: schedule.enabled ? occurrences.nextAfter(clock.now()) : undefined };
  });
  const find = (name: string) => entries.find(({ schedule }) => schedule.name === name);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const nextDue = (untilMs: number): Due | undefined => {
    let first: Due | undefined;
    for (const { schedule, nextAt } of entries)
      if (nextAt !== undefined && nextAt <= untilMs && (first === undefined || nextAt < first.at))
        first = { name: schedule.name, at: nextAt };
    return first;
  };
  /** The next occurrence is the one after `seenMs`. */
  const fireAndGoOn = async ({ name, at }: Due, seenMs: number) => {
    const entry = find(name);
    if (!entry) return;
    entry.nextAt = entry.occurrences.nextAfter(seenMs);
    await fire(entry.schedule, at);
  };
  const pause = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const resume = () => {
    pause();
    const next = stopped ? undefined : nextDue(Number.POSITIVE_INFINITY);
    if (!next) return;
    const waitMs = Math.min(Math.max(next.at - clock.now(), 0), MAX_WAIT_MS);
    timer = setTimeout(() => {
      // Not awaited: one that takes long does not hold up the others. After the machine has slept, each fires once.
      const nowMs = clock.now();
      for (let due = nextDue(nowMs); due; due = nextDue(nowMs)) void fireAndGoOn(due, nowMs);
      resume();
    }, waitMs);
  };

  return {
    list: () => entries.map(({ schedule: { name }, nextAt }) => ({ name, ...(nextAt !== undefined && { nextAt }) })),
    nextDue,
    fireDue: (due) => fireAndGoOn(due, due.at),
    fireNow(name) {
      const entry = find(name);
      return entry && fire(entry.schedule, clock.now());
    },
    resume,
    pause,
    stop() {
      stopped = true;
      pause();
    },
  };
};

const creationTimes = (schedules: readonly ScheduleModel[], dataDirectory: string, nowMs: number) => {
  const file = join(dataDirectory, "schedules.json");
  const known = readDataFile(file, CreationTimes) ?? {};
  const times = Object.fromEntries(schedules.map(({ name }) => [name, known[name] ?? nowMs]));
  writeDataFile(file, times);
  return times;
};
