import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { readDataFile, writeDataFile } from "../core/data-file.ts";
import type { ScheduleModel } from "../core/model.ts";
import type { Observe } from "../core/observation.ts";
import type { Deliver } from "../events/deliver.ts";
import { type Occurrences, parseScheduleExpression } from "./schedule-expression.ts";

/** When each schedule was first seen, by name. Rates are counted from then. */
const CreationTimes = z.record(z.string(), z.number());
/** The longest wait of a timer: a machine that slept is late by at most this. */
const MAX_WAIT_MS = 60_000;

/** Epoch milliseconds; a disabled schedule has no `nextAt`. */
export type ScheduleState = { name: string; nextAt?: number };
export type Due = { name: string; at: number };

export type Schedules = {
  list(): ScheduleState[];
  /** The schedule that falls due first, at or before that time. */
  nextDue(untilMs: number): Due | undefined;
  /** Of the schedules that fall due until then, the one with the longest period; of equal ones, the one that falls due first. */
  rarestDue(untilMs: number): Due | undefined;
  /** Fires a due schedule and moves on to its next occurrence. Resolves when its targets have finished. */
  fireDue(due: Due): Promise<void>;
  /** Fires a schedule now, also a disabled one; undefined if no schedule has that name. */
  fireNow(name: string): Promise<void> | undefined;
  /** Fires schedules as real time passes, until `pause` or `stop`. */
  resume(): void;
  pause(): void;
  stop(): void;
};

type Entry = { schedule: ScheduleModel; occurrences: Occurrences; nextAt: number | undefined };

const creationTimes = (schedules: readonly ScheduleModel[], dataDirectory: string, nowMs: number) => {
  const file = join(dataDirectory, "schedules.json");
  const known = readDataFile(file, CreationTimes) ?? {};
  const times = Object.fromEntries(schedules.map(({ name }) => [name, known[name] ?? nowMs]));
  writeDataFile(file, times);
  return times;
};

/**
 * The event of a schedule that fell due.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
 */
const scheduledEvent = (ruleArn: string, epochMs: number) => {
  const [, , , region, account] = ruleArn.split(":");
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account,
    time: `${new Date(epochMs).toISOString().slice(0, 19)}Z`,
    region,
    resources: [ruleArn],
    detail: {},
  };
};

/** Fires one schedule as of a time. Resolves when its targets have finished or were given up; never rejects. */
export type FireSchedule = (schedule: ScheduleModel, epochMs: number) => Promise<void>;

/** Delivers the event of one occurrence to every target of the rule. */
export const createFireSchedule =
  (deliver: Deliver, observe?: Observe): FireSchedule =>
  async (schedule, epochMs) => {
    observe?.({ kind: "schedule", name: schedule.name, at: epochMs });
    const event = scheduledEvent(schedule.arn, epochMs);
    await Promise.all(schedule.targets.map((target) => deliver(schedule, target, event)));
  };

/**
 * The schedules of the stack, on the local cloud's clock. Occurrences that were missed while nothing ran are skipped.
 * @throws Error naming the expression that is not supported.
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
  const rarestDue = (untilMs: number): Due | undefined => {
    let rarest: (Due & { periodMs: number }) | undefined;
    for (const { schedule, occurrences, nextAt } of entries) {
      if (nextAt === undefined || nextAt > untilMs) continue;
      const periodMs = occurrences.nextAfter(nextAt) - nextAt;
      if (rarest === undefined || periodMs > rarest.periodMs || (periodMs === rarest.periodMs && nextAt < rarest.at))
        rarest = { name: schedule.name, at: nextAt, periodMs };
    }
    return rarest && { name: rarest.name, at: rarest.at };
  };
  /** Fires a schedule. Its next occurrence is the first one after `afterMs`. */
  const fireAndContinue = async ({ name, at }: Due, afterMs: number) => {
    const entry = find(name);
    if (!entry) return;
    entry.nextAt = entry.occurrences.nextAfter(afterMs);
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
      // Not awaited: a slow schedule must not delay the others. After the machine has slept, each fires once.
      const nowMs = clock.now();
      for (let due = nextDue(nowMs); due; due = nextDue(nowMs)) void fireAndContinue(due, nowMs);
      resume();
    }, waitMs);
  };

  return {
    list: () => entries.map(({ schedule: { name }, nextAt }) => ({ name, ...(nextAt !== undefined && { nextAt }) })),
    nextDue,
    rarestDue,
    fireDue: (due) => fireAndContinue(due, due.at),
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
