/** What is usual of a scope: its baselines, with the days that are not in them yet. */
import { dayName } from "../terms/hours.ts";
import { type BaselineStore, oldestKnownDay, type StoredBaseline, type StoredUserBaseline } from "./baseline-store.ts";
import { callsOfUsers, type DayCounts, seenHash, withDay } from "./day-counts.ts";
import { userHash } from "./detection-keys.ts";
import { foldDay, foldUserDay } from "./fold-day.ts";
import { baselineOf, type History } from "./rules/baseline.ts";
import type { Fact } from "./rules/fact.ts";
import type { RuleInput } from "./rules/rule.ts";
import { isCall, LEAST_CALLS } from "./rules/unusual-api-usage.ts";

export type Usual = Pick<RuleInput, "baseline" | "baselineOfUser" | "isKnown">;

const nothing = { calls: 0, hours: 0, dailyPeaks: [] };

const unknown: Usual = { baseline: nothing, baselineOfUser: () => nothing, isKnown: () => false };

type Asked = {
  scope: string;
  hour: number;
  facts: readonly Fact[];
  /** The day up to the hour, and the day before it where that may not be in the baselines yet. */
  before: DayCounts;
  ended: DayCounts | undefined;
};

/** A day so far, put on top of a history that ends with the day before. */
const upToNow = (history: History | undefined, { day, since }: DayCounts, counts: DayCounts["all"] | undefined) =>
  withDay(history, day, counts, since);

/**
 * Reads the baselines that judging an hour needs. Below the least number of calls nobody asks for them, so that most
 * hours read none; beyond it a read unit, and one for each user with as many.
 */
export const createReadUsual =
  (store: Pick<BaselineStore, "get" | "getUsers">) =>
  async ({ scope, hour, facts, before, ended }: Asked): Promise<Usual> => {
    const calls = facts.filter(isCall);
    if (calls.length < LEAST_CALLS) return unknown;
    const busy = [...callsOfUsers(scope, calls)].flatMap(([hash, count]) => (count < LEAST_CALLS ? [] : [hash]));
    const [stored, storedUsers] = await Promise.all([
      store.get(scope),
      busy.length === 0 ? new Map<string, StoredUserBaseline>() : store.getUsers(scope, busy),
    ]);
    const folded: StoredBaseline | undefined = ended === undefined ? stored : foldDay(stored, ended);
    const users = new Map(
      busy.map((hash) => {
        const known = storedUsers.get(hash);
        const user = ended === undefined ? known : (foldUserDay(known, ended, hash) ?? known);
        return [hash, upToNow(user?.history, before, before.users[hash])];
      }),
    );
    const oldest = oldestKnownDay(hour);
    const today = dayName(hour);
    const seenOn = new Map([
      ...Object.entries(folded?.known ?? {}),
      ...before.seen.map((hash) => [hash, today] as const),
    ]);
    return {
      baseline: baselineOf(upToNow(folded?.history, before, before.all), hour),
      baselineOfUser: (userId) => baselineOf(users.get(userHash(scope, userId)), hour),
      isKnown: (kind, value) => (seenOn.get(seenHash(scope, kind, value)) ?? "") >= oldest,
    };
  };
