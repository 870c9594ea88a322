/**
 * What a day has had so far: it goes from one judged hour to the next, and into the baselines when the day is over.
 * So an hour costs one write, and the baselines one a day. Pure.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { dayName, HOUR_MS, startOfDay } from "../terms/hours.ts";
import { userHash } from "./detection-keys.ts";
import { BASELINE_DAYS, type CountedDay, type History } from "./rules/baseline.ts";
import type { Fact } from "./rules/fact.ts";
import { isTimedOperation } from "./rules/performance-degradation.ts";
import { isCall, novelties } from "./rules/unusual-api-usage.ts";

/** Calls, the busiest hour's, and the hour of the day that had the first. */
const Counts = z.object({ calls: z.number(), peak: z.number(), from: z.number() });
type Counts = z.output<typeof Counts>;

/**
 * `since`: the first hour that was judged of the scope, epoch ms. `users` by their hash. `seen`: hashes of the addresses,
 * resources and errors of calls. Both are bounded. `operations` against the provider, and how long they took in all.
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

/** Users beyond these have no baseline of the day; those whom they are many calls of come first. */
const MAX_USERS = 500;
/** The newest count. */
const MAX_SEEN = 500;
const SEEN_BYTES = 6;

const nothing: Counts = { calls: 0, peak: 0, from: 0 };

/** What stands for something that may be new: 8 characters. */
export const seenHash = (scope: string, kind: string, value: string): string =>
  createHash("sha256").update(`${scope}\n${kind}\n${value}`).digest().subarray(0, SEEN_BYTES).toString("base64url");

const withHour = ({ calls, peak, from } = nothing, hourOfDay: number, added: number): Counts => ({
  calls: calls + added,
  peak: Math.max(peak, added),
  from: calls === 0 ? hourOfDay : from,
});

/** The calls of each user of an hour, by the user's hash. */
export const callsOfUsers = (scope: string, calls: readonly Fact[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { userId } of calls) if (userId !== undefined) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  return new Map([...counts].map(([userId, count]) => [userHash(scope, userId), count]));
};

const boundedUsers = (users: Record<string, Counts>): Record<string, Counts> => {
  const entries = Object.entries(users);
  if (entries.length <= MAX_USERS) return users;
  return Object.fromEntries(entries.sort(([, a], [, b]) => b.calls - a.calls).slice(0, MAX_USERS));
};

/** The day up to an hour's beginning: what came before it, if that was of the same day. @param hour epoch ms. */
export const dayBefore = (previous: DayCounts | undefined, hour: number): DayCounts => {
  const day = dayName(hour);
  if (previous?.day === day) return previous;
  return { day, since: previous?.since ?? hour, all: nothing, users: {}, seen: [] };
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
  const seen = calls
    .flatMap(novelties)
    .flatMap(({ kind, value }) => (value === undefined ? [] : [seenHash(scope, kind, value)]));
  return {
    ...before,
    all: withHour(before.all, hourOfDay, calls.length),
    users: boundedUsers(users),
    seen: [...new Set([...before.seen, ...seen])].slice(-MAX_SEEN),
  };
};

/** The day up to an hour's end. @param facts of the hour. */
export const dayAfter = (before: DayCounts, scope: string, hour: number, facts: readonly Fact[]): DayCounts => ({
  ...withCalls(before, scope, hour, facts.filter(isCall)),
  ...withOperations(before.operations, facts),
});

/** A history with a day that is over, or that an hour cuts. @param since where there is no history yet. */
export const withDay = (
  history: History | undefined,
  day: string,
  { calls, peak }: Counts | undefined = nothing,
  since: number,
): History => {
  const known = history ?? { since, days: [] };
  if (calls === 0) return known;
  const others: CountedDay[] = known.days.filter((one) => one.day !== day);
  return { since: known.since, days: [...others, { day, calls, peak }].slice(-BASELINE_DAYS - 1) };
};
