/** How the event table is read: one partition of it or of an index, newest first, within a bound on what is read. */
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { getItems } from "../runtime/get-items.ts";
import { firstIdAt } from "./event-id.ts";
import type { FilterName, ReadPlan } from "./event-indexes.ts";
import type { Selection } from "./selection.ts";

/** 4 MB, read eventually consistent: half a unit for 4 KB. */
export const READ_UNITS_PER_REQUEST = 512;
const MAX_STEP = 1_000;

type Item = Record<string, unknown>;

type Read = {
  selection: Selection;
  limit: number;
  /** The id after which (that is, before which in time) to go on. */
  after?: string | undefined;
  /** Epoch ms; what has expired by then is left out. */
  now: number;
  maxUnits?: number;
};

const conditionOf = (
  { keyName, keyValue, filters }: ReadPlan,
  { selection, now }: Pick<Read, "selection" | "now">,
) => ({
  KeyConditionExpression: "#key = :key AND id >= :since",
  FilterExpression: ["#ttl > :now", ...filters.map((name) => `#${name} = :${name}`)].join(" AND "),
  ExpressionAttributeNames: {
    "#key": keyName,
    "#ttl": "ttl",
    ...Object.fromEntries(filters.map((name) => [`#${name}`, name])),
  },
  ExpressionAttributeValues: {
    ":key": keyValue,
    ":since": firstIdAt(selection.since),
    ":now": Math.floor(now / 1000),
    ...Object.fromEntries(filters.map((name) => [`:${name}`, selection[name]])),
  },
});

const startAfter = ({ scope, keyName, keyValue }: ReadPlan, id: string) => ({ scope, id, [keyName]: keyValue });

const holds = (item: Item, selection: Selection, names: readonly FilterName[]) =>
  names.every((name) => item[name] === selection[name]);

/** The whole items of an index's entries, in their order; what has gone meanwhile is left out. */
const fetchWhole = async (client: DynamoDBDocumentClient, tableName: string, entries: readonly Item[]) => {
  const keys = entries.map(({ scope, id }) => ({ scope, id }));
  const { items, units } = await getItems(client, tableName, keys);
  const byId = new Map(items.map((item) => [item.id, item]));
  return { items: entries.map(({ id }) => byId.get(id)).filter((item) => item !== undefined), units };
};

/**
 * Reads pages by a plan. A step asks for as many items as are still wanted, and for twice as many each time that the
 * filters left too few: so a page costs what it shows and at most as much again.
 * @returns the items as stored, and the id to go on after if there may be more.
 */
export const createEventReader =
  (client: DynamoDBDocumentClient, tableName: string) =>
  async (
    plan: ReadPlan,
    { selection, limit, after, now, maxUnits = READ_UNITS_PER_REQUEST }: Read,
  ): Promise<{ items: Item[]; next: string | undefined }> => {
    const items: Item[] = [];
    let units = 0;
    let last = after;
    for (let step = limit + 1; ; step = Math.min(step * 2, MAX_STEP)) {
      const command = new QueryCommand({
        TableName: tableName,
        ...(plan.index !== undefined && { IndexName: plan.index }),
        ...conditionOf(plan, { selection, now }),
        ...(last !== undefined && { ExclusiveStartKey: startAfter(plan, last) }),
        Limit: step,
        ScanIndexForward: false,
        ReturnConsumedCapacity: "TOTAL",
      });
      const {
        Items = [],
        LastEvaluatedKey,
        ConsumedCapacity,
      } = await callStore((options) => client.send(command, options));
      units += ConsumedCapacity?.CapacityUnits ?? 0;
      const whole: { items: Item[]; units: number } = plan.isWhole
        ? { items: Items, units: 0 }
        : await fetchWhole(client, tableName, Items);
      units += whole.units;
      items.push(...whole.items.filter((item) => holds(item, selection, plan.lateFilters)));
      if (items.length > limit) return { items: items.slice(0, limit), next: String(items[limit - 1]?.id) };
      if (LastEvaluatedKey === undefined) return { items, next: undefined };
      last = String(LastEvaluatedKey.id);
      if (units >= maxUnits) return { items, next: last };
    }
  };
