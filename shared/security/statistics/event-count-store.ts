/** The part of a stored event that statistics count. */

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { getItems } from "../../runtime/get-items.ts";
import { readPages } from "../../runtime/read-pages.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { firstIdAt } from "../event-id.ts";
import type { FilterName, ReadPlan, Selection } from "../event-item.ts";
import { categories } from "../security-event.ts";
import { type Counters, createTally } from "./counters.ts";
import type { Rollup } from "./rollup-store.ts";

/** What counts of an event; the event table and every index of it have these. `ttl` is epoch seconds. */
export const CountedItem = z.object({
  id: z.string(),
  eventType: z.string(),
  category: z.enum(categories),
  riskLevel: z.enum(riskLevels),
  success: z.boolean(),
  ms: z.optional(z.number()),
  ttl: z.number(),
});
export type CountedItem = z.output<typeof CountedItem>;

export const countedFields = Object.keys(CountedItem.shape);

/** The parts of a query or of a batch that ask for so many fields and no more. */
export const projectionOf = (fields: readonly string[]) => ({
  ProjectionExpression: fields.map((name) => `#${name}`).join(", "),
  ExpressionAttributeNames: Object.fromEntries(fields.map((name) => [`#${name}`, name])),
});

/** The greatest id of the times before one. */
const lastIdBefore = (time: number): string => firstIdAt(time - 1).slice(0, 10) + "Z".repeat(16);

export type EventCountStore = ReturnType<typeof createEventCountStore>;

/** Counts the events of the event table. Calls throw DomainError `store_unavailable` when it does not answer. */
export const createEventCountStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Counts the events of a partition from one time (inclusive) to another (exclusive), both epoch ms, that have not
   * expired at `now`. Costs what the events weigh: half a read unit per 4 KB, or one when read strongly.
   * @returns undefined where there are none.
   */
  async countRange(
    scope: string,
    { from, to }: { from: number; to: number },
    { now, strongly = false }: { now: number; strongly?: boolean },
  ): Promise<Rollup | undefined> {
    const tally = createTally();
    const expiries = new Set<number>();
    const { ProjectionExpression, ExpressionAttributeNames } = projectionOf(countedFields);
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #id BETWEEN :first AND :last",
      ProjectionExpression,
      ExpressionAttributeNames: { ...ExpressionAttributeNames, "#scope": "scope" },
      ExpressionAttributeValues: { ":scope": scope, ":first": firstIdAt(from), ":last": lastIdBefore(to) },
      ConsistentRead: strongly,
    });
    for await (const page of pages) {
      for (const item of page) {
        const event = CountedItem.parse(item);
        if (event.ttl * 1_000 <= now) continue;
        tally.add(event);
        expiries.add(event.ttl);
      }
    }
    if (expiries.size === 0) return undefined;
    return { counters: tally.counters(), exactUntil: Math.min(...expiries), expiresAt: Math.max(...expiries) };
  },
});

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
        ...(plan.index !== undefined && { IndexName: plan.index.name }),
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
