import * as z from "zod/mini";
import { getItem, putItem, type Table } from "../runtime/table.ts";
import { queryOnce } from "../runtime/table-query.ts";
import { expiryOf, HOUR_MS, hourName } from "../terms/hours.ts";
import { UNJUDGED_HOURS } from "../terms/tables.ts";
import { createDueMarkStore } from "../work/due-mark-store.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { DETECTOR_SCOPE, dueOfKey, scopeOfPartition, unjudgedKey, windowKey } from "./detection.ts";

/** Of the marks of hours, and of those of their money (money/due-money-store.ts). */
export const unjudgedIndex = defineShardedIndex(UNJUDGED_HOURS, { count: 8 });

const Mark = z.object({ scope: z.string(), key: z.string() });
const Dispatched = z.object({ dispatchedAt: z.number() });
const Window = z.object({ finishedAt: z.optional(z.number()) });

/** `hour`: its start, epoch ms. */
export type UnjudgedHour = { scope: string; hour: number };

export type UnjudgedStore = ReturnType<typeof createUnjudgedStore>;

/**
 * The marks of closed hours that are to be judged, and the completed dispatches. All calls throw DomainError
 * `store_unavailable`.
 */
export const createUnjudgedStore = (table: Table<"detection">, { retentionDays }: { retentionDays: number }) => {
  const marks = createDueMarkStore(table, unjudgedIndex);

  const isFinished = async (scope: string, hour: number): Promise<boolean> => {
    const window = await getItem(
      table,
      { scope, key: windowKey(hour) },
      { attributes: ["finishedAt"], isConsistent: false },
    );
    return window !== undefined && Window.parse(window).finishedAt !== undefined;
  };

  return {
    /**
     * Marks an hour, unless its judging is finished: half a read unit, and two write units for a mark.
     * @param partition of the hour's events.
     */
    async markUnjudged(partition: string, hour: number): Promise<void> {
      const scope = scopeOfPartition(partition);
      if (await isFinished(scope, hour)) return;
      await marks.mark(scope, unjudgedKey(hour), { ttl: expiryOf(hour, retentionDays) });
    },

    /** All marks, those of a shard in order of their keys. Half a read unit per shard and 4 KB; may lag by a second. */
    async *listAll(): AsyncGenerator<UnjudgedHour & { of: "events" | "money" }, void, void> {
      for await (const item of marks.list()) {
        const { scope, key } = Mark.parse(item);
        yield { scope, ...dueOfKey(key) };
      }
    },

    /** The marked hours of a scope in a span, oldest first; one read unit per 4 KB. @param span.to exclusive. */
    async listOf(scope: string, { from, to }: { from: number; to: number }): Promise<number[]> {
      const hours: number[] = [];
      for await (const item of marks.listOf(scope, unjudgedKey(from), unjudgedKey(to - HOUR_MS)))
        hours.push(dueOfKey(Mark.parse(item).key).hour);
      return hours;
    },

    /** Clears a mark; two write units. */
    async clear({ scope, hour }: UnjudgedHour): Promise<void> {
      await marks.clear(scope, unjudgedKey(hour));
    },

    /**
     * When the last dispatch of an earlier hour was completed, epoch ms; undefined if there is none. One read unit.
     * @param now epoch ms.
     */
    async lastDispatch(now: number): Promise<number | undefined> {
      const query = {
        where: "#scope = :scope AND #key < :hour",
        values: { scope: DETECTOR_SCOPE, hour: hourName(now) },
        isDescending: true,
        isConsistent: true,
      };
      const [item] = (await queryOnce(table, query, { limit: 1 })).items;
      return item && Dispatched.parse(item).dispatchedAt;
    },

    /** Records that the hour's dispatch was completed, with its counts; one write unit. */
    async recordDispatch(now: number, counts: Readonly<Record<string, number | boolean>>): Promise<void> {
      const times = { key: hourName(now), dispatchedAt: now, ttl: expiryOf(now, retentionDays) };
      await putItem(table, { ...counts, scope: DETECTOR_SCOPE, ...times });
    },
  };
};
