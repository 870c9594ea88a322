import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import type { Table } from "../runtime/table.ts";
import { HOUR_MS, hourName, timeOfName } from "../terms/hours.ts";
import { isOrganizationKey } from "../terms/keys.ts";
import { OPEN_HOURS } from "../terms/tables.ts";
import { createDueMarkStore } from "../work/due-mark-store.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";

/**
 * The mark of an hour that has events or erasures to be sealed, in the table of the rollups: partition key `scope`, sort
 * key `period` (`seal#2026-11-21T10`). `token` changes with every mark; `markedAt`: epoch ms. Marks do not expire. They
 * share the index of the open hours, in shards of their own.
 */
const DueSealItem = z.object({ scope: z.string(), period: z.string(), token: z.string(), markedAt: z.number() });

/** `hour`: its start, epoch ms. */
export type DueSeal = { scope: string; hour: number; token: string; markedAt: number };

const dueSeals = defineShardedIndex(OPEN_HOURS, { count: 8, prefix: "seal#" });

export const dueSealShards: readonly string[] = dueSeals.shards;

/** Epoch ms; `to`: exclusive. */
type Span = { from: number; to: number };

const PREFIX = "seal#";
const keyOf = (hour: number): string => `${PREFIX}${hourName(hour)}`;
const hourOf = (period: string): number => timeOfName(period.slice(PREFIX.length));

export type DueSealStore = ReturnType<typeof createDueSealStore>;

/** The hours that are to be sealed. All calls throw DomainError `store_unavailable`. */
export const createDueSealStore = (table: Table<"securityRollups">, now: Clock) => {
  const marks = createDueMarkStore(table, dueSeals);

  const marksIn = async (scope: string, { from, to }: Span) => {
    const found: z.output<typeof DueSealItem>[] = [];
    if (from >= to) return found;
    for await (const item of marks.listOf(scope, keyOf(from), keyOf(to - HOUR_MS))) found.push(DueSealItem.parse(item));
    return found;
  };

  return {
    /** Marks an hour of an organization; two write units. Events without an organization are never sealed. */
    async markDue(scope: string, hour: number): Promise<void> {
      if (isOrganizationKey(scope)) await marks.mark(scope, keyOf(hour), { token: newRequestToken(), markedAt: now() });
    },

    /** All marks of one of dueSealShards, in order of time. Half a read unit per 4 KB; may lag by a second. */
    async *listAll(shard: string): AsyncGenerator<DueSeal, void, void> {
      for await (const item of marks.list(undefined, shard)) {
        const { period, ...mark } = DueSealItem.parse(item);
        yield { ...mark, hour: hourOf(period) };
      }
    },

    /**
     * The marked hours of an organization in a span, in order of time, read strongly consistent; one read unit per 4 KB.
     * @param span.to exclusive.
     */
    listDue: async (scope: string, span: Span): Promise<number[]> =>
      (await marksIn(scope, span)).map(({ period }) => hourOf(period)),

    /** When those hours were marked last, epoch ms; costs the same. */
    listMarkTimes: async (scope: string, span: Span): Promise<number[]> =>
      (await marksIn(scope, span)).map(({ markedAt }) => markedAt),

    /** Removes a mark; two write units. @returns false if the hour was marked again since it was read. */
    clear: ({ scope, hour, token }: DueSeal): Promise<boolean> => marks.clear(scope, keyOf(hour), token),
  };
};
