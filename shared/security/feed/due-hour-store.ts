import * as z from "zod/mini";
import type { Clock } from "../../runtime/clock.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { deleteItem, putItem, type Table } from "../../runtime/table.ts";
import { HOUR_MS, hourName, timeOfName } from "../../terms/hours.ts";
import { isOrganizationKey } from "../../terms/keys.ts";
import { OPEN_HOURS } from "../../terms/tables.ts";
import { createDueMarkStore } from "../../work/due-mark-store.ts";
import { defineShardedIndex } from "../../work/sharded-index.ts";

/**
 * The mark of an hour whose objects, of feed and archive, are to be written, in the table of the rollups: partition key `scope`, sort key `period`
 * (`feed#2026-11-21T10`). `token` changes with every mark. Marks do not expire. They share the index of the open hours,
 * in shards of their own.
 */
const DueHourItem = z.object({
  scope: z.string(),
  period: z.string(),
  token: z.string(),
  markedAt: z.optional(z.number()),
});

/** `hour`: its start, epoch ms. */
export type DueHour = { scope: string; hour: number; token: string };

const dueHours = defineShardedIndex(OPEN_HOURS, { count: 8, prefix: "feed#" });

export const dueHourShards: readonly string[] = dueHours.shards;

/** The sort keys of all marks begin with it. */
export const FEED_MARKS = "feed#";
const keyOf = (hour: number): string => `${FEED_MARKS}${hourName(hour)}`;

/** The sort key of the lease of an organization's objects: `token` of its holder, `until` (epoch ms). */
const LEASE_KEY = "feeding";

/** An expired lease is free; its item is deleted later. */
const LEASE_KEPT_SECONDS = 86_400;

export type DueHourStore = ReturnType<typeof createDueHourStore>;

/** The hours whose objects are due. All calls throw DomainError `store_unavailable`. */
export const createDueHourStore = (table: Table<"securityRollups">, now: Clock) => {
  const marks = createDueMarkStore(table, dueHours);
  return {
    /** Marks an hour of an organization; two write units. Events without an organization are in no object. */
    async markDue(scope: string, hour: number): Promise<void> {
      if (isOrganizationKey(scope)) await marks.mark(scope, keyOf(hour), { token: newRequestToken(), markedAt: now() });
    },

    /** All marks of one of dueHourShards, in order of time. Half a read unit per 4 KB; may lag by a second. */
    async *listAll(shard: string): AsyncGenerator<DueHour, void, void> {
      for await (const item of marks.list(undefined, shard)) {
        const { scope, period, token } = DueHourItem.parse(item);
        yield { scope, hour: timeOfName(period.slice(FEED_MARKS.length)), token };
      }
    },

    /**
     * When the hours of an organization in a span were marked last, in order of time, epoch ms, read strongly consistent; one
     * read unit per 4 KB. Marks of older versions have no time.
     * @param span.to exclusive.
     */
    async listMarkTimes(scope: string, { from, to }: { from: number; to: number }): Promise<number[]> {
      const times: number[] = [];
      for await (const item of marks.listOf(scope, keyOf(from), keyOf(to - HOUR_MS)))
        times.push(DueHourItem.parse(item).markedAt ?? 0);
      return times;
    },

    /** Removes a mark; two write units. @returns false if the hour was marked again since it was read. */
    clear: ({ scope, hour, token }: DueHour): Promise<boolean> => marks.clear(scope, keyOf(hour), token),

    /**
     * Takes the lease of an organization's objects: only its holder writes objects. One write unit.
     * @param until epoch ms; the holder must have ended by then.
     * @returns the token for `release`; undefined if another worker holds the lease.
     */
    async takeLease(scope: string, until: number): Promise<string | undefined> {
      const token = newRequestToken();
      const ttl = Math.ceil(until / 1_000) + LEASE_KEPT_SECONDS;
      const isFree = { condition: "attribute_not_exists(#until) OR #until <= :now", values: { now: now() } };
      const lease = { scope, period: LEASE_KEY, token, until, ttl };
      return (await putItem(table, lease, { ...isFree, own: "token" })).written ? token : undefined;
    },

    /** Releases a lease that is still held; one write unit. */
    async releaseLease(scope: string, token: string): Promise<void> {
      await deleteItem(table, { scope, period: LEASE_KEY }, { condition: "#token = :token", values: { token } });
    },
  };
};
