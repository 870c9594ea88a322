/** The latency of operations against the provider: the newest ones, and the mean of 28 days. Pure. */
import { DAY_MS, dayName, startOfDay, timeOfName } from "../../terms/hours.ts";
import { BASELINE_DAYS } from "./baseline.ts";
import type { Fact } from "./fact.ts";

/** The operations that are compared with the mean. */
export const LAST_OPERATIONS = 10;

/** Durations in ms. `days`: the last 28, oldest first. `last`: the newest operations, oldest first. */
export type Latency = {
  last: readonly { id: string; at: number; durationMs: number }[];
  days: readonly { day: string; operations: number; totalMs: number }[];
};

export const noLatency: Latency = { last: [], days: [] };

/** The latency with one more operation; days before the last 28 are dropped. */
export const withOperation = (
  { last, days }: Latency,
  { id, at, durationMs = 0 }: Pick<Fact, "id" | "at" | "durationMs">,
): Latency => {
  const oldest = startOfDay(at) - BASELINE_DAYS * DAY_MS;
  const day = dayName(at);
  const kept = days.filter((one) => timeOfName(one.day) >= oldest);
  const before = kept.find((one) => one.day === day) ?? { operations: 0, totalMs: 0 };
  const counted = { day, operations: before.operations + 1, totalMs: before.totalMs + durationMs };
  return {
    last: [...last, { id, at, durationMs }].slice(-LAST_OPERATIONS),
    days: [...kept.filter((one) => one.day !== day), counted],
  };
};
