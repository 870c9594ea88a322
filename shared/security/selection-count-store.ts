import { setTimeout as sleep } from "node:timers/promises";
import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { readPages } from "../runtime/read-pages.ts";
import { CountedItem, countedFields, projectionOf } from "./counted-item.ts";
import { type Counters, createTally } from "./counters.ts";
import { firstIdAt } from "./event-id.ts";
import type { FilterName, ReadPlan } from "./event-indexes.ts";
import type { Selection } from "./selection.ts";

/** What narrow indexes do not hold. */
const LateItem = z.object({ id: z.string(), userId: z.optional(z.string()), processed: z.boolean() });
type LateItem = z.output<typeof LateItem>;

const BATCH_GET_MAX = 100;
const BATCH_ATTEMPTS = 4;
const BATCHES_AT_ONCE = 6;

const fits = (item: object, selection: Selection, filters: readonly FilterName[]): boolean =>
  filters.every((name) => selection[name] === Reflect.get(item, name));

export type SelectionCountStore = ReturnType<typeof createSelectionCountStore>;

/** Counts the events of a selection one by one. Calls throw DomainError `store_unavailable` when it does not answer. */
export const createSelectionCountStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** Those of some events that fit filters which only the table answers. What has gone meanwhile is left out. */
  const fetchFitting = async (
    { scope, lateFilters }: ReadPlan,
    selection: Selection,
    some: readonly CountedItem[],
  ): Promise<CountedItem[]> => {
    const found = new Map<string, LateItem>();
    let keys: Record<string, unknown>[] = some.map(({ id }) => ({ scope, id }));
    for (let attempt = 0; keys.length > 0; attempt++) {
      if (attempt === BATCH_ATTEMPTS) throw new DomainError("store_unavailable", "The store left events unread.");
      if (attempt > 0) await sleep(50 * 2 ** attempt * Math.random());
      const command = new BatchGetCommand({
        RequestItems: { [tableName]: { Keys: keys, ...projectionOf(Object.keys(LateItem.shape)) } },
      });
      const { Responses, UnprocessedKeys } = await callStore((options) => client.send(command, options));
      for (const item of Responses?.[tableName] ?? []) {
        const late = LateItem.parse(item);
        found.set(late.id, late);
      }
      keys = UnprocessedKeys?.[tableName]?.Keys ?? [];
    }
    return some.filter(({ id }) => fits(found.get(id) ?? {}, selection, lateFilters));
  };

  return {
    /**
     * Counts a selection from the partition that its plan names: half a read unit per 4 KB of that, and half a unit
     * for each event whose fields only the table has.
     * @param max the most events that may be read there; those that have expired at `now` (epoch ms) do not count.
     * @returns undefined where more would have to be read.
     */
    async count(
      plan: ReadPlan,
      selection: Selection,
      { max, now }: { max: number; now: number },
    ): Promise<Counters | undefined> {
      const { ProjectionExpression, ExpressionAttributeNames } = projectionOf([
        ...new Set([...countedFields, ...plan.filters]),
      ]);
      const pages = readPages(client, {
        TableName: tableName,
        ...(plan.index !== undefined && { IndexName: plan.index }),
        KeyConditionExpression: "#key = :key AND #id >= :since",
        ProjectionExpression,
        ExpressionAttributeNames: { ...ExpressionAttributeNames, "#key": plan.keyName },
        ExpressionAttributeValues: { ":key": plan.keyValue, ":since": firstIdAt(selection.since) },
      });
      const candidates: CountedItem[] = [];
      let read = 0;
      for await (const page of pages) {
        for (const item of page) {
          const event = CountedItem.parse(item);
          if (event.ttl * 1_000 <= now) continue;
          if (++read > max) return undefined;
          if (fits(item, selection, plan.filters)) candidates.push(event);
        }
      }
      const tally = createTally();
      if (plan.lateFilters.length === 0) {
        for (const event of candidates) tally.add(event);
        return tally.counters();
      }
      const batches = Array.from({ length: Math.ceil(candidates.length / BATCH_GET_MAX) }, (_, i) =>
        candidates.slice(i * BATCH_GET_MAX, (i + 1) * BATCH_GET_MAX),
      );
      await inParallel(batches, BATCHES_AT_ONCE, async (batch) => {
        for (const event of await fetchFitting(plan, selection, batch)) tally.add(event);
      });
      return tally.counters();
    },
  };
};
