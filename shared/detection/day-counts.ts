/**
 * The counts of a day so far. They pass from one judged hour to the next, and into the baselines once the day is over:
 * so an hour costs one write, and the baselines one per day. Pure.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { dayName, HOUR_MS, startOfDay } from "../terms/hours.ts";
import { userHash } from "./detection.ts";
import { BASELINE_DAYS, type History } from "./evidence/baseline.ts";
import { callValues, type Fact, isCall, isTimedOperation } from "./evidence/fact.ts";

/** `from`: the hour of the day with the first call. */
const Counts = z.object({ calls: z.number(), peak: z.number(), from: z.number() });
type Counts = z.output<typeof Counts>;

/**
 * `since`: the first judged hour of the scope, epoch ms. `users` by their hash. `seen`: hashes of the addresses, resources
 * and errors of calls. Both are bounded. `operations` against the provider, with their total duration.
 */
export const DayCounts = z.object({
  day: z.string(),
  since: z.number(),
  all: Counts,
  users: z.record(z.string(), Counts),
  seen: z.array(z.string()),
  operations: z.optional(z.object({ count: z.number(), totalMs: z.number() })),
});
export type DayCounts = z.output<typeof DayCounts>;

/** Of more users, those with the most calls are counted. */
const MAX_USERS = 500;
/** Of more values, the newest are kept. */
const MAX_VALUES = 500;
const VALUE_HASH_BYTES = 6;

const noCounts: Counts = { calls: 0, peak: 0, from: 0 };

/** The hash that stands for a value of calls: 8 characters. */
export const valueHash = (scope: string, kind: string, value: string): string =>
  createHash("sha256")
    .update(`${scope}\n${kind}\n${value}`)
    .digest()
    .subarray(0, VALUE_HASH_BYTES)
    .toString("base64url");

const withHour = ({ calls, peak, from } = noCounts, hourOfDay: number, added: number): Counts => ({
  calls: calls + added,
  peak: Math.max(peak, added),
  from: calls === 0 ? hourOfDay : from,
});

/** The calls of each user in an hour, by the user's hash. */
export const callsOfUsers = (scope: string, calls: readonly Fact[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { userId } of calls) if (userId !== undefined) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  return new Map([...counts].map(([userId, count]) => [userHash(scope, userId), count]));
};

const boundUsers = (users: Record<string, Counts>): Record<string, Counts> => {
  const entries = Object.entries(users);
  if (entries.length <= MAX_USERS) return users;
  return Object.fromEntries(entries.sort(([, a], [, b]) => b.calls - a.calls).slice(0, MAX_USERS));
};

/** The counts of the hour's day up to the hour. @param previous those of the last judged hour. @param hour epoch ms. */
export const dayBefore = (previous: DayCounts | undefined, hour: number): DayCounts => {
  const day = dayName(hour);
  if (previous?.day === day) return previous;
  return { day, since: previous?.since ?? hour, all: noCounts, users: {}, seen: [] };
};

const withOperations = (before: DayCounts["operations"], facts: readonly Fact[]): Pick<DayCounts, "operations"> => {
  const durations = facts.filter(isTimedOperation).map(({ durationMs = 0 }) => durationMs);
  if (durations.length === 0) return before === undefined ? {} : { operations: before };
  const { count, totalMs } = before ?? { count: 0, totalMs: 0 };
  const added = durations.reduce((sum, durationMs) => sum + durationMs, 0);
  return { operations: { count: count + durations.length, totalMs: totalMs + Math.round(added) } };
};

const withCalls = (before: DayCounts, scope: string, hour: number, calls: readonly Fact[]): DayCounts => {
  if (calls.length === 0) return before;
  const hourOfDay = (hour - startOfDay(hour)) / HOUR_MS;
  const users = { ...before.users };
  for (const [hash, count] of callsOfUsers(scope, calls)) users[hash] = withHour(users[hash], hourOfDay, count);
  const values = calls
    .flatMap(callValues)
    .flatMap(({ kind, value }) => (value === undefined ? [] : [valueHash(scope, kind, value)]));
  return {
    ...before,
    all: withHour(before.all, hourOfDay, calls.length),
    users: boundUsers(users),
    seen: [...new Set([...before.seen, ...values])].slice(-MAX_VALUES),
  };
};

/** The counts of the day up to the hour's end. @param facts of the hour. */
export const dayAfter = (before: DayCounts, scope: string, hour: number, facts: readonly Fact[]): DayCounts => ({
  ...withCalls(before, scope, hour, facts.filter(isCall)),
  ...withOperations(before.operations, facts),
});

/** A history with the counts of a day. @param since the history's start, if there is none yet; epoch ms. */
export const withDay = (
  history: History | undefined,
  day: string,
  { calls, peak }: Counts | undefined = noCounts,
  since: number,
): History => {
  const existing = history ?? { since, days: [] };
  if (calls === 0) return existing;
  const others = existing.days.filter((one) => one.day !== day);
  return { since: existing.since, days: [...others, { day, calls, peak }].slice(-BASELINE_DAYS - 1) };
};
