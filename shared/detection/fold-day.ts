/** Puts a day that is over into the baselines, each day once. */

import { chunksOf } from "../runtime/chunks.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { HOUR_MS, timeOfName } from "../terms/hours.ts";
import { type BaselineStore, oldestKnownDay, type StoredBaseline, type StoredUserBaseline } from "./baseline-store.ts";
import { type DayCounts, withDay } from "./day-counts.ts";
import type { Latency } from "./rules/performance-degradation.ts";

/** The newest count. */
const MAX_KNOWN = 1_000;
const USERS_AT_ONCE = 10;
/** A batch of reads. */
const USERS_PER_READ = 100;
/** Others may put another day in meanwhile. */
const MAX_ATTEMPTS = 5;

const isIn = (stored: Pick<StoredBaseline, "through"> | undefined, { day }: DayCounts): boolean =>
  stored !== undefined && stored.through >= day;

const withOperations = (days: Latency["days"], { day, operations }: DayCounts): Latency["days"] => {
  const oldest = oldestKnownDay(timeOfName(day));
  const kept = days.filter((one) => one.day >= oldest && one.day !== day);
  if (operations === undefined) return kept;
  return [...kept, { day, operations: operations.count, totalMs: operations.totalMs }];
};

/** The baseline with a day, if it is not in it yet. */
export const foldDay = (stored: StoredBaseline | undefined, ended: DayCounts): StoredBaseline => {
  if (stored !== undefined && isIn(stored, ended)) return stored;
  const { day, since, all, seen } = ended;
  const oldest = oldestKnownDay(timeOfName(day));
  const known = { ...stored?.known, ...Object.fromEntries(seen.map((hash) => [hash, day])) };
  const kept = Object.entries(known)
    .filter(([, last]) => last >= oldest)
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .slice(0, MAX_KNOWN);
  const history = withDay(stored?.history, day, all, since);
  const operations = withOperations(stored?.operations ?? [], ended);
  return { history, known: Object.fromEntries(kept), operations, through: day };
};

/** The baseline of a user with a day; undefined where the user did nothing on it, or it is in it already. */
export const foldUserDay = (
  stored: StoredUserBaseline | undefined,
  ended: DayCounts,
  hash: string,
): StoredUserBaseline | undefined => {
  const counts = ended.users[hash];
  if (counts === undefined || isIn(stored, ended)) return undefined;
  const since = timeOfName(ended.day) + counts.from * HOUR_MS;
  return { history: withDay(stored?.history, ended.day, counts, since), through: ended.day };
};

/**
 * Stores the baselines with a day: a read and a write unit each for the organization and for every user of the day.
 * Again, it changes nothing.
 * @throws DomainError `store_unavailable`; Error where others keep coming first.
 */
export const storeDay = async (store: BaselineStore, scope: string, ended: DayCounts): Promise<void> => {
  const storeAll = async (): Promise<boolean> => {
    const stored = await store.get(scope);
    return isIn(stored, ended) || store.put(scope, foldDay(stored, ended), stored?.through);
  };
  const storeUser = async (hash: string, stored: StoredUserBaseline | undefined): Promise<boolean> => {
    const folded = foldUserDay(stored, ended, hash);
    return folded === undefined || store.putUser(scope, hash, folded, stored?.through);
  };
  const storeUsers = async (hashes: readonly string[]): Promise<string[]> => {
    const stored = await store.getUsers(scope, hashes);
    const overtaken: string[] = [];
    await inParallel(hashes, USERS_AT_ONCE, async (hash) => {
      if (!(await storeUser(hash, stored.get(hash)))) overtaken.push(hash);
    });
    return overtaken;
  };

  for (const chunk of chunksOf(Object.keys(ended.users), USERS_PER_READ)) {
    let left: string[] = chunk;
    for (let attempt = 0; left.length > 0 && attempt < MAX_ATTEMPTS; attempt++) left = await storeUsers(left);
    if (left.length > 0) throw new Error("Others keep changing the baselines of users.");
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) if (await storeAll()) return;
  throw new Error("Others keep changing the baseline of an organization.");
};
