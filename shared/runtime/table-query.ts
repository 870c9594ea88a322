/** Queries of a table or of one of its indexes. All throw DomainError `store_unavailable`. */
import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";
import type { Deadline, Table } from "./table.ts";
import { type Item, type Query, renderQuery } from "./table-expressions.ts";

const send = (
  { client, deployedName: TableName }: Table,
  query: Query,
  options: Pick<QueryCommandInput, "Limit" | "Select" | "ReturnConsumedCapacity">,
  deadlineMs?: number,
) => {
  const command = new QueryCommand({ TableName, ...renderQuery(query), ...options });
  return callStore((abort) => client.send(command, abort), deadlineMs);
};

/** The items of one call, at most 1 MB, the key after which more may come, and the read units that they cost. */
export const queryOnce = async (
  table: Table,
  query: Query,
  { limit, deadlineMs }: { limit?: number } & Deadline = {},
): Promise<{ items: Record<string, unknown>[]; next: Item | undefined; units: number | undefined }> => {
  const options = { ReturnConsumedCapacity: "TOTAL", ...(limit !== undefined && { Limit: limit }) } as const;
  const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await send(table, query, options, deadlineMs);
  return { items: Items, next: LastEvaluatedKey, units: ConsumedCapacity?.CapacityUnits };
};

/** All items of a query, a page of at most 1 MB at a time, or of `pageSize` items before its filter. */
export async function* queryPages(
  table: Table,
  query: Query,
  pageSize?: number,
): AsyncGenerator<Record<string, unknown>[], void, void> {
  const limit = pageSize === undefined ? {} : { limit: pageSize };
  let after: Item | undefined = query.after;
  do {
    const { items, next } = await queryOnce(table, { ...query, after }, limit);
    yield items;
    after = next;
  } while (after !== undefined);
}

/** Counts the items of a query, and those that its filter lets through. Costs as much as reading them. */
export const countItems = async (table: Table, query: Query): Promise<{ all: number; filtered: number }> => {
  const counts = { all: 0, filtered: 0 };
  let after = query.after;
  do {
    const page = await send(table, { ...query, after }, { Select: "COUNT" });
    counts.all += page.ScannedCount ?? 0;
    counts.filtered += page.Count ?? 0;
    after = page.LastEvaluatedKey;
  } while (after !== undefined);
  return counts;
};

/** A call returns at most 1 MB; one request reads at most four calls. */
const MAX_CALLS = 4;

/**
 * Reads up to `limit` items of one partition in the order of the sort key. One item more is asked for, so that "there
 * is more" is known without a second call. A page that reads 4 MB ends early, with more to come.
 * @param maxCalls fewer, where one of our requests reads several partitions.
 * @returns the items as stored, unparsed, and whether there are more.
 */
export const queryPage = async (
  table: Table,
  query: Query,
  limit: number,
  maxCalls = MAX_CALLS,
): Promise<{ items: Record<string, unknown>[]; hasMore: boolean }> => {
  const items: Record<string, unknown>[] = [];
  let after = query.after;
  for (let call = 0; call < maxCalls; call++) {
    const { Items = [], LastEvaluatedKey } = await send(
      table,
      { ...query, after },
      { Limit: limit + 1 - items.length },
    );
    items.push(...Items);
    after = LastEvaluatedKey;
    if (items.length > limit || after === undefined) break;
  }
  return { items: items.slice(0, limit), hasMore: items.length > limit || after !== undefined };
};

/** 4 MB, read eventually consistent: half a unit for 4 KB. One call reads a quarter of it at most. */
const MAX_UNITS = 512;
const UNITS_PER_CALL = 128;
const MAX_STEP = 1_000;

/**
 * Reads up to `limit` items that a filter lets through, in the order of the sort key, and at most 4 MB of what it does
 * not: then the page is short, or even empty, with more to come. A step asks for as many items as are wanted, and for
 * twice as many each time that the filter left too few. So a page costs what it shows and at most as much again.
 * @param maxUnits fewer, where one of our requests reads several partitions; at least 128, which one call may read.
 * @returns the items as stored, and the item or the key of one after which more may come.
 */
export const queryFilteredPage = async (
  table: Table,
  query: Query,
  limit: number,
  maxUnits = MAX_UNITS,
): Promise<{ items: Record<string, unknown>[]; last: Record<string, unknown> | undefined }> => {
  const items: Record<string, unknown>[] = [];
  let units = 0;
  let after = query.after;
  for (let step = limit + 1; ; step = Math.min(step * 2, MAX_STEP)) {
    const page = await queryOnce(table, { ...query, after }, { limit: step });
    items.push(...page.items);
    units += page.units ?? UNITS_PER_CALL;
    if (items.length > limit) return { items: items.slice(0, limit), last: items[limit - 1] };
    after = page.next;
    if (after === undefined || units > maxUnits - UNITS_PER_CALL) return { items, last: after };
  }
};
