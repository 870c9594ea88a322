/** Reads the baselines that an hour is judged by, and stores the counts of a day in them, each day once. */
import { chunksOf } from "../runtime/chunks.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { dayName, HOUR_MS, timeOfName } from "../terms/hours.ts";
import { type BaselineStore, oldestDayOf, type StoredBaseline, type StoredUserBaseline } from "./baseline-store.ts";
import { callsOfUsers, type DayCounts, valueHash, withDay } from "./day-counts.ts";
import { userHash } from "./detection.ts";
import { baselineOf, noBaseline } from "./evidence/baseline.ts";
import { type Fact, isCall } from "./evidence/fact.ts";
import type { Latency } from "./evidence/latency.ts";
import type { RuleInput } from "./rules/rule.ts";

/** Of more values, those that occurred last are kept. */
const MAX_VALUES = 1_000;

const hasDay = (stored: Pick<StoredBaseline, "through"> | undefined, { day }: DayCounts): boolean =>
  stored !== undefined && stored.through >= day;

const withOperations = (days: Latency["days"], { day, operations }: DayCounts): Latency["days"] => {
  const oldest = oldestDayOf(timeOfName(day));
  const kept = days.filter((one) => one.day >= oldest && one.day !== day);
  if (operations === undefined) return kept;
  return [...kept, { day, operations: operations.count, totalMs: operations.totalMs }];
};

/** The baseline with a day, unless it has that day. */
const addDay = (stored: StoredBaseline | undefined, ended: DayCounts): StoredBaseline => {
  if (stored !== undefined && hasDay(stored, ended)) return stored;
  const { day, since, all, seen } = ended;
  const oldest = oldestDayOf(timeOfName(day));
  const lastDays = { ...stored?.lastDays, ...Object.fromEntries(seen.map((hash) => [hash, day])) };
  const kept = Object.entries(lastDays)
    .filter(([, last]) => last >= oldest)
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .slice(0, MAX_VALUES);
  return {
    history: withDay(stored?.history, day, all, since),
    lastDays: Object.fromEntries(kept),
    operations: withOperations(stored?.operations ?? [], ended),
    through: day,
  };
};

/** A user's baseline with a day; undefined if the user did nothing on it, or the baseline has that day. */
const addUserDay = (
  stored: StoredUserBaseline | undefined,
  ended: DayCounts,
  hash: string,
): StoredUserBaseline | undefined => {
  const counts = ended.users[hash];
  if (counts === undefined || hasDay(stored, ended)) return undefined;
  const since = timeOfName(ended.day) + counts.from * HOUR_MS;
  return { history: withDay(stored?.history, ended.day, counts, since), through: ended.day };
};

type HourBaselines = Pick<RuleInput, "baseline" | "baselineOfUser" | "isKnown">;

const noBaselines: HourBaselines = { baseline: noBaseline, baselineOfUser: () => noBaseline, isKnown: () => false };

type HourToJudge = {
  scope: string;
  hour: number;
  /** Those that are counted, of the hour. */
  facts: readonly Fact[];
  /** With fewer calls, no baseline is read. */
  leastCalls: number;
  /** The hour's day so far, and the day before, if the baselines may not have it yet. */
  before: DayCounts;
  ended: DayCounts | undefined;
};

const USERS_AT_ONCE = 10;
/** The size of a batch read. */
const USERS_PER_READ = 100;
/** Another invocation may store a day at the same time. */
const MAX_ATTEMPTS = 5;

export type Baselines = ReturnType<typeof createBaselines>;

/** The baselines of scopes, over their store. */
export const createBaselines = (store: Pick<BaselineStore, "get" | "getUsers" | "put" | "putUser">) => ({
  /**
   * Reads the baselines of an hour. With fewer calls than any rule needs, it reads none, as in most hours; else a read unit,
   * and one for each user with as many calls.
   */
  async read({ scope, hour, facts, leastCalls, before, ended }: HourToJudge): Promise<HourBaselines> {
    const calls = facts.filter(isCall);
    if (calls.length < leastCalls) return noBaselines;
    const busy = [...callsOfUsers(scope, calls)].flatMap(([hash, count]) => (count < leastCalls ? [] : [hash]));
    const [stored, storedUsers] = await Promise.all([
      store.get(scope),
      busy.length === 0 ? new Map<string, StoredUserBaseline>() : store.getUsers(scope, busy),
    ]);
    const { day, since } = before;
    const organization = ended === undefined ? stored : addDay(stored, ended);
    const users = new Map(
      busy.map((hash) => {
        const storedUser = storedUsers.get(hash);
        const user = ended === undefined ? storedUser : (addUserDay(storedUser, ended, hash) ?? storedUser);
        return [hash, withDay(user?.history, day, before.users[hash], since)];
      }),
    );
    const oldest = oldestDayOf(hour);
    const lastDays = new Map([
      ...Object.entries(organization?.lastDays ?? {}),
      ...before.seen.map((hash) => [hash, dayName(hour)] as const),
    ]);
    return {
      baseline: baselineOf(withDay(organization?.history, day, before.all, since), hour),
      baselineOfUser: (userId) => baselineOf(users.get(userHash(scope, userId)), hour),
      isKnown: (kind, value) => (lastDays.get(valueHash(scope, kind, value)) ?? "") >= oldest,
    };
  },

  /**
   * Stores a day in the baselines: a read and a write unit for the organization and for each user of the day. Repeated, it
   * changes nothing.
   * @throws DomainError `store_unavailable`; Error if other invocations keep coming first.
   */
  async storeDay(scope: string, ended: DayCounts): Promise<void> {
    const storeOrganization = async (): Promise<boolean> => {
      const stored = await store.get(scope);
      return hasDay(stored, ended) || store.put(scope, addDay(stored, ended), stored?.through);
    };
    const storeUser = async (hash: string, stored: StoredUserBaseline | undefined): Promise<boolean> => {
      const added = addUserDay(stored, ended, hash);
      return added === undefined || store.putUser(scope, hash, added, stored?.through);
    };
    /** @returns the users whose baseline was changed concurrently. */
    const storeUsers = async (hashes: readonly string[]): Promise<string[]> => {
      const stored = await store.getUsers(scope, hashes);
      const left: string[] = [];
      await inParallel(hashes, USERS_AT_ONCE, async (hash) => {
        if (!(await storeUser(hash, stored.get(hash)))) left.push(hash);
      });
      return left;
    };

    for (const chunk of chunksOf(Object.keys(ended.users), USERS_PER_READ)) {
      let left: string[] = chunk;
      for (let attempt = 0; left.length > 0 && attempt < MAX_ATTEMPTS; attempt++) left = await storeUsers(left);
      if (left.length > 0) throw new Error("Other invocations keep changing the baselines of users.");
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) if (await storeOrganization()) return;
    throw new Error("Other invocations keep changing the baseline of an organization.");
  },
});
