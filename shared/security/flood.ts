/**
 * Limits how many similar failures are recorded: the first five one by one, then a count at 10, 100, 1,000 and so on. The
 * others are only counted in memory, so a flood of bad tokens causes few writes. Each instance counts for itself, so a
 * count is a lower bound. Decisions: docs/decisions.md, "Security events".
 */

const SINGLE_RECORDS = 5;
/** After so long without a failure, the count starts again. */
const QUIET_MS = 60_000;
const MAX_KEYS = 1_000;
const MAX_USERS = 1_000;

/** What to record: the failure itself, the count of failures since the last record, or nothing. */
type FloodVerdict = { record: "single" } | { record: "count"; failures: number; users: number } | { record: "nothing" };

type Count = { total: number; sinceRecord: number; users: Set<string>; lastAt: number };

const isPowerOfTen = (count: number): boolean => count >= 10 && /^10+$/.test(String(count));

/** Counts failures by key (an address and an organization) for this instance. */
export const createFloodCounter = () => {
  /** The key that was quiet longest comes first. */
  const counts = new Map<string, Count>();

  const countOf = (key: string, now: number): Count => {
    const previous = counts.get(key);
    counts.delete(key);
    const count =
      previous !== undefined && now - previous.lastAt < QUIET_MS
        ? previous
        : { total: 0, sinceRecord: 0, users: new Set<string>(), lastAt: now };
    counts.set(key, count);
    if (counts.size > MAX_KEYS) counts.delete(counts.keys().next().value ?? "");
    return count;
  };

  /**
   * Counts a failure.
   * @param user the user whom the token names, if any.
   * @param now epoch ms.
   */
  return (key: string, user: string | undefined, now: number): FloodVerdict => {
    const count = countOf(key, now);
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
