/**
 * Counts the requests to the provider per organization and month (UTC): in the instance until `flush`, then in the table
 * of runs. The provider limits how many objects an account may read.
 */

import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { getItem, type Table, updateItem } from "../runtime/table.ts";
import { organizationKey } from "../terms/keys.ts";

/**
 * One item per organization and month: `scope` the organization, `key` = `reads#2026-11`, `n` the count, `token` of the
 * last addition, so that an addition whose answer was lost counts once, and `ttl`.
 */
const ReadCount = z.object({ n: z.int() });

/** More than a year. */
const KEPT_DAYS = 400;
const DAY_SECONDS = 86_400;

const keyOf = (organizationId: string, month: string) => ({
  scope: organizationKey(organizationId),
  key: `reads#${month}`,
});

const expiryOf = (month: string): number => Date.parse(`${month}-01T00:00:00Z`) / 1_000 + KEPT_DAYS * DAY_SECONDS;

/** The UTC month of a time: `2026-11`. @param time epoch ms. */
export const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7);

/** `token` identifies the addition; it stays the same when the addition is repeated. */
export type ReadAddition = { count: number; token: string };

export type ReadCountStore = ReturnType<typeof createReadCountStore>;

/** All calls throw DomainError `store_unavailable`. */
export const createReadCountStore = (table: Table<"syncRuns">) => ({
  /**
   * Adds to a month's count. Repeated with the same token, it changes nothing, unless another addition came between. One
   * write unit.
   * @returns the month's count; undefined if this addition was written before.
   */
  async add(
    organizationId: string,
    month: string,
    { count, token }: ReadAddition,
    deadlineMs?: number,
  ): Promise<number | undefined> {
    // The condition fails if an earlier attempt was written, and only its answer was lost.
    const { written, item } = await updateItem(table, keyOf(organizationId, month), {
      add: { n: count },
      set: { token, ttl: expiryOf(month) },
      condition: "attribute_not_exists(#token) OR #token <> :token",
      values: { token },
      returns: "after",
      deadlineMs,
    });
    return written ? ReadCount.parse(item).n : undefined;
  },

  /** A month's count; 0 without any. Half a read unit. */
  async read(organizationId: string, month: string): Promise<number> {
    const item = await getItem(table, keyOf(organizationId, month), { isConsistent: false });
    return item === undefined ? 0 : ReadCount.parse(item).n;
  },
});

/** The end of an invocation waits no longer for the store. */
const FLUSH_DEADLINE_MS = 500;

/** The provider rations reads per account and month, 10,000 at least; the alarm is raised before (docs/operations.md). */
const LOGGED_EVERY = 1_000;

/** `pending`: not sent yet. `inDoubt`: sent without an answer, and repeated unchanged. */
type Count = { organizationId: string; month: string; pending: number; inDoubt?: ReadAddition };

export type ReadCounts = ReturnType<typeof createReadCounts>;

/** The counts of an instance. */
export const createReadCounts = (dependencies: {
  store: Pick<ReadCountStore, "add">;
  clock: Clock;
  newToken: () => string;
}) => {
  const { store, clock, newToken } = dependencies;
  const counts = new Map<string, Count>();

  /** Flushes run one after another, so that each count has at most one addition in doubt. */
  let flushed: Promise<void> = Promise.resolve();

  const send = async (count: Count): Promise<void> => {
    while (count.inDoubt !== undefined || count.pending > 0) {
      if (count.inDoubt === undefined) {
        count.inDoubt = { count: count.pending, token: newToken() };
        count.pending = 0;
      }
      const { organizationId, month, inDoubt } = count;
      const reads = await store.add(organizationId, month, inDoubt, FLUSH_DEADLINE_MS);
      delete count.inDoubt;
      if (reads !== undefined && reads % LOGGED_EVERY < inDoubt.count)
        writeLog("info", "Reads of the provider in a month", { organizationId, month }, { ProviderReads: reads });
    }
  };

  const flushAll = async (): Promise<void> => {
    let failed = 0;
    const sendOne = async ([name, count]: [string, Count]) => {
      try {
        await send(count);
        counts.delete(name);
      } catch {
        failed++;
      }
    };
    await Promise.all([...counts].map(sendOne));
    if (failed > 0) writeLog("warn", "Storing the counts of provider reads failed; they are kept", { counts: failed });
  };

  return {
    /** Counts one request. */
    count(organizationId: string): void {
      const month = monthOf(clock());
      const name = `${month} ${organizationId}`;
      const count = counts.get(name);
      if (count === undefined) counts.set(name, { organizationId, month, pending: 1 });
      else count.pending++;
    },

    /** Stores the counts. Never throws: a count that could not be stored is sent again with the next flush. */
    flush(): Promise<void> {
      flushed = flushed.then(flushAll);
      return flushed;
    },
  };
};
