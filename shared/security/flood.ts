/**
 * How many of many like failures are recorded: the first five one by one, then a count at 10, 100, 1,000 and so on.
 * The rest is counted in memory, so that whoever floods us with bad tokens cannot make us write. A count is of one
 * instance and hence a lower bound. Decisions: docs/decisions.md, "Security events".
 */

const SINGLE_RECORDS = 5;
/** A count starts again after this long without a failure. */
const QUIET_MS = 60_000;
const MAX_KEYS = 1_000;
const MAX_USERS = 1_000;

/** What to record of a failure: itself, a count that stands for those since the record before, or nothing. */
export type FloodVerdict =
  | { record: "single" }
  | { record: "count"; failures: number; users: number }
  | { record: "nothing" };

type Count = { total: number; sinceRecord: number; users: Set<string>; lastAt: number };

const isPowerOfTen = (count: number): boolean => count >= 10 && /^10+$/.test(String(count));

/** Counts by key (an address and an organization), for this instance. */
export const createFloodCounter = () => {
  const counts = new Map<string, Count>();

  const current = (key: string, now: number): Count => {
    const known = counts.get(key);
    // Put in anew, so that the first key is always the one that was quiet longest.
    counts.delete(key);
    const count =
      known !== undefined && now - known.lastAt < QUIET_MS
        ? known
        : { total: 0, sinceRecord: 0, users: new Set<string>(), lastAt: now };
    counts.set(key, count);
    if (counts.size > MAX_KEYS) counts.delete(counts.keys().next().value ?? "");
    return count;
  };

  /**
   * Counts a failure.
   * @param user the user whom the token names, where there is one.
   * @param now epoch ms.
   */
  return (key: string, user: string | undefined, now: number): FloodVerdict => {
    const count = current(key, now);
    count.total++;
    count.sinceRecord++;
    count.lastAt = now;
    if (user !== undefined && count.users.size < MAX_USERS) count.users.add(user);
    if (count.total > SINGLE_RECORDS && !isPowerOfTen(count.total)) return { record: "nothing" };
    const { sinceRecord: failures, users } = count;
    count.sinceRecord = 0;
    count.users = new Set();
    return count.total <= SINGLE_RECORDS ? { record: "single" } : { record: "count", failures, users: users.size };
  };
};
