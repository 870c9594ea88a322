import * as z from "zod/mini";
import { getItem, putItem, type Table, unchanged } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { queryPages } from "../runtime/table-query.ts";
import { DAY_MS, dayName, timeOfName } from "../terms/hours.ts";
import { BASELINE_KEY, USER_PREFIX, userKey } from "./detection.ts";
import { BASELINE_DAYS, type History } from "./evidence/baseline.ts";
import type { Latency } from "./evidence/latency.ts";

/**
 * The days of an organization, up to and including `through`; the last day (its name) of each value's hash; and its
 * operations against the provider.
 */
export type StoredBaseline = {
  history: History;
  lastDays: Readonly<Record<string, string>>;
  operations: Latency["days"];
  through: string;
};
/** The days of a user. */
export type StoredUserBaseline = Pick<StoredBaseline, "history" | "through">;

/**
 * `baseline` and `user#<hash>`: `since` epoch ms; `days` as JSON text of [day, calls, peak]; `known` as JSON text of days,
 * each with the hashes of the values that occurred last on it; `operations` as JSON text of [day, operations, ms];
 * `through` the last day.
 */
const BaselineItem = z.object({
  key: z.string(),
  since: z.number(),
  days: z.string(),
  known: z.optional(z.string()),
  operations: z.optional(z.string()),
  through: z.string(),
});

const SinceItem = z.pick(BaselineItem, { key: true, since: true });

const Days = z.array(z.tuple([z.string(), z.number(), z.number()]));
const HashesByDay = z.record(z.string(), z.array(z.string()));

/** Older days are not read. */
const KEPT_DAYS = BASELINE_DAYS + 2;

const expiryAfter = (through: string): number => (timeOfName(through) + KEPT_DAYS * DAY_MS) / 1_000;

const parse = (item: unknown): StoredBaseline => {
  const { since, days, known, operations = "[]", through } = BaselineItem.parse(item);
  const hashesByDay = HashesByDay.parse(known === undefined ? {} : JSON.parse(known));
  return {
    history: { since, days: Days.parse(JSON.parse(days)).map(([day, calls, peak]) => ({ day, calls, peak })) },
    lastDays: Object.fromEntries(
      Object.entries(hashesByDay).flatMap(([day, hashes]) => hashes.map((hash) => [hash, day])),
    ),
    operations: Days.parse(JSON.parse(operations)).map(([day, count, totalMs]) => ({
      day,
      operations: count,
      totalMs,
    })),
    through,
  };
};

const toKnown = (lastDays: StoredBaseline["lastDays"]): string => {
  const hashesByDay: Record<string, string[]> = {};
  for (const [hash, day] of Object.entries(lastDays)) hashesByDay[day] = [...(hashesByDay[day] ?? []), hash];
  return JSON.stringify(hashesByDay);
};

const toFields = ({ history, through }: StoredUserBaseline) => ({
  since: history.since,
  days: JSON.stringify(history.days.map(({ day, calls, peak }) => [day, calls, peak])),
  through,
  ttl: expiryAfter(through),
});

const toOrganizationFields = ({ lastDays, operations, ...baseline }: StoredBaseline) => ({
  ...toFields(baseline),
  known: toKnown(lastDays),
  operations: JSON.stringify(operations.map(({ day, operations: count, totalMs }) => [day, count, totalMs])),
});

/** The oldest day that baselines contain. @param hour epoch ms. */
export const oldestDayOf = (hour: number): string => dayName(hour - BASELINE_DAYS * DAY_MS);

export type BaselineStore = ReturnType<typeof createBaselineStore>;

/**
 * The baselines of organizations and their users. Puts overwrite only the baseline that was read: `previous` is its
 * `through`; false if another invocation came first. All calls throw DomainError `store_unavailable`.
 */
export const createBaselineStore = (table: Table<"detection">) => ({
  /** An organization's; a strongly consistent read: one read unit per 4 KB. */
  async get(scope: string): Promise<StoredBaseline | undefined> {
    const item = await getItem(table, { scope, key: BASELINE_KEY });
    return item && parse(item);
  },

  /** Those of users, by their hash; strongly consistent reads: a read unit each. */
  async getUsers(scope: string, hashes: readonly string[]): Promise<Map<string, StoredUserBaseline>> {
    const keys = hashes.map((hash) => ({ scope, key: userKey(hash) }));
    const { items } = await getItems(table, keys, { isConsistent: true });
    return new Map(
      items.map((item) => {
        const { history, through } = parse(item);
        return [String(item.key).slice(USER_PREFIX.length), { history, through }];
      }),
    );
  },

  /** The first counted hour of each user, epoch ms, by the user's hash. May lag by a second: half a read unit per 4 KB. */
  async listSinceOfUsers(scope: string): Promise<Map<string, number>> {
    const pages = queryPages(table, {
      where: "#scope = :scope AND begins_with(#key, :prefix)",
      values: { scope, prefix: USER_PREFIX },
      attributes: ["key", "since"],
    });
    const times = new Map<string, number>();
    for await (const page of pages) {
      for (const item of page) {
        const { key, since } = SinceItem.parse(item);
        times.set(key.slice(USER_PREFIX.length), since);
      }
    }
    return times;
  },

  async put(scope: string, baseline: StoredBaseline, previous: string | undefined): Promise<boolean> {
    const item = { scope, key: BASELINE_KEY, ...toOrganizationFields(baseline) };
    return (await putItem(table, item, { ...unchanged("through", previous), own: "through" })).written;
  },

  async putUser(
    scope: string,
    hash: string,
    baseline: StoredUserBaseline,
    previous: string | undefined,
  ): Promise<boolean> {
    const item = { scope, key: userKey(hash), ...toFields(baseline) };
    return (await putItem(table, item, { ...unchanged("through", previous), own: "through" })).written;
  },
});
