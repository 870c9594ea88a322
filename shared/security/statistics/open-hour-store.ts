import * as z from "zod/mini";
import type { Clock } from "../../runtime/clock.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import type { Table } from "../../runtime/table.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { END_OF_TIME_MS, hourName, timeOfName } from "../../terms/hours.ts";
import { OPEN_HOURS } from "../../terms/tables.ts";
import { createDueMarkStore } from "../../work/due-mark-store.ts";
import { defineShardedIndex } from "../../work/sharded-index.ts";

/**
 * The marker of an open hour, in the table of the rollups: partition key `scope`, sort key `period`
 * (`open#2026-11-21T10`). `token` changes with every mark; `markedAt`: epoch ms. Markers do not expire.
 */
const OpenHourItem = z.object({ scope: z.string(), period: z.string(), token: z.string(), markedAt: z.number() });

export type OpenHour = {
  scope: string;
  /** The start of the hour, epoch ms. */
  hour: number;
  token: string;
  markedAt: number;
};

/** Each shard takes 1,000 marks a second; most marks come when an hour begins. */
const openHours = defineShardedIndex(OPEN_HOURS, { count: 8 });

/** The shards of the open hours. Each has the hours of an eighth of the scopes. */
export const openHourShards: readonly string[] = openHours.shards;

const PREFIX = "open#";
const keyOf = (hour: number): string => `${PREFIX}${hourName(hour)}`;

const parse = (item: unknown): OpenHour => {
  const { period, ...marker } = OpenHourItem.parse(item);
  return { ...marker, hour: timeOfName(period.slice(PREFIX.length)) };
};

export type OpenHourStore = ReturnType<typeof createOpenHourStore>;

/** The open hours of each partition of events. All calls throw DomainError `store_unavailable`. */
export const createOpenHourStore = (table: Table<"securityRollups">, now: Clock) => {
  const marks = createDueMarkStore(table, openHours);
  return {
    /**
     * Marks an hour as open, before an event of that hour is written; two write units. Closers leave an hour alone for
     * five minutes after its end and its last mark. So the event must be written within four minutes of the mark, or of
     * the end of the hour. Mark the current hour once per instance, and a past hour for every event.
     * @param hour as in `2026-11-21T10`.
     */
    markHourOpen: (scope: string, hour: string): Promise<void> =>
      marks.mark(scope, keyOf(timeOfName(hour)), { token: newRequestToken(), markedAt: now() }),

    /** The open hours of a partition since an hour, in order of time, read strongly consistent; one read unit per 4 KB. */
    async list(scope: string, from: number): Promise<number[]> {
      const pages = queryPages(table, {
        where: "#scope = :scope AND #period BETWEEN :first AND :last",
        values: { scope, first: keyOf(from), last: keyOf(END_OF_TIME_MS - 1) },
        isConsistent: true,
      });
      const hours: number[] = [];
      for await (const page of pages) hours.push(...page.map((item) => parse(item).hour));
      return hours;
    },

    /**
     * The open hours of all partitions up to an hour, each shard's oldest first. Half a read unit per shard and 4 KB. May
     * lag by a second.
     * @param shard lists only this one of openHourShards.
     */
    async *listAll(last: number, shard?: string): AsyncGenerator<OpenHour, void, void> {
      for await (const item of marks.list(keyOf(last), shard)) yield parse(item);
    },

    /** Removes a marker; two write units. @returns false if the hour was marked again since it was read. */
    clear: ({ scope, hour, token }: Pick<OpenHour, "scope" | "hour" | "token">): Promise<boolean> =>
      marks.clear(scope, keyOf(hour), token),
  };
};
