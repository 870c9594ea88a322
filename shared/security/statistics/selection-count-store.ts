import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { getItems } from "../../runtime/get-items.ts";
import { readPages } from "../../runtime/read-pages.ts";
import { firstIdAt } from "../event-id.ts";
import type { FilterName, ReadPlan } from "../event-indexes.ts";
import type { Selection } from "../selection.ts";
import { CountedItem, countedFields, projectionOf } from "./counted-item.ts";
import { type Counters, createTally } from "./counters.ts";

/** What narrow indexes do not hold. */
const LateItem = z.object({ id: z.string(), userId: z.optional(z.string()), processed: z.boolean() });

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
    const keys = some.map(({ id }) => ({ scope, id }));
    const { items } = await getItems(client, tableName, keys, projectionOf(Object.keys(LateItem.shape)));
    const found = new Map(items.map((item) => LateItem.parse(item)).map((late) => [late.id, late]));
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
      for (const event of await fetchFitting(plan, selection, candidates)) tally.add(event);
      return tally.counters();
    },
  };
};
