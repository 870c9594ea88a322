/** What the events of a user or an address add up to. Pure. */
import type { Alert, SecurityEvent, SecurityStatistics } from "../../api/types.ts";
import { subjectOf } from "../alerts/words.ts";

export type Caller = { userId: string } | { ipAddress: string };

/** Whether an alert is about the caller: its subject is, or its evidence names the caller. */
export const isAbout = (
  caller: Caller,
  { rule, subject, evidence }: Pick<Alert, "rule" | "subject" | "evidence">,
): boolean => {
  const filters = subjectOf({ rule, subject })?.filters ?? {};
  const [wanted, own, named] =
    "userId" in caller
      ? [caller.userId, "userId" in filters && filters.userId, ["users"]]
      : [caller.ipAddress, "ipAddress" in filters && filters.ipAddress, ["address", "addresses", "succeededFrom"]];
  return own === wanted || named.some((name) => [evidence?.[name]].flat().includes(wanted));
};

/** The distinct values of a field with the number of the events that have them, the most frequent first. */
export const countsOf = (
  events: readonly SecurityEvent[],
  fieldOf: (event: SecurityEvent) => string | undefined,
): { value: string; count: number }[] => {
  const counts = new Map<string, number>();
  for (const event of events) {
    const value = fieldOf(event);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((one, other) => other.count - one.count);
};

/** The first day of the period with an event, epoch milliseconds of its beginning; undefined if there is none. */
export const firstDayOf = (intervals: SecurityStatistics["intervals"]): number | undefined =>
  intervals?.find(({ totalEvents }) => totalEvents > 0)?.from;

/** The days of the period from the first one with an event on. */
export const daysSinceFirst = (intervals: SecurityStatistics["intervals"] = []): typeof intervals =>
  intervals.slice(
    Math.max(
      0,
      intervals.findIndex(({ totalEvents }) => totalEvents > 0),
    ),
  );
