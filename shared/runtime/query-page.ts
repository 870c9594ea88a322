import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";

/** A call returns at most 1 MB; one request reads at most four calls. */
const MAX_CALLS = 4;

/**
 * Reads up to `limit` items of one partition in the order of the sort key. One item more is asked for, so that "there
 * is more" is known without a second call. A page that reads 4 MB ends early, with more to come.
 * @param maxCalls fewer, where one of our requests reads several partitions.
 * @returns the items as stored, unparsed, and whether there are more.
 * @throws DomainError `store_unavailable`.
 */
export const queryPage = async (
  client: DynamoDBDocumentClient,
  query: Omit<QueryCommandInput, "Limit">,
  limit: number,
  maxCalls = MAX_CALLS,
): Promise<{ items: Record<string, unknown>[]; hasMore: boolean }> => {
  const items: Record<string, unknown>[] = [];
  let start = query.ExclusiveStartKey;
  for (let call = 0; call < maxCalls; call++) {
    const command = new QueryCommand({
      ...query,
      Limit: limit + 1 - items.length,
      ...(start && { ExclusiveStartKey: start }),
    });
    const { Items = [], LastEvaluatedKey } = await callStore((options) => client.send(command, options));
    items.push(...Items);
    start = LastEvaluatedKey;
    if (items.length > limit || start === undefined) break;
  }
  return { items: items.slice(0, limit), hasMore: items.length > limit || start !== undefined };
};

/** 4 MB, read eventually consistent: half a unit for 4 KB. One call reads a quarter of it at most. */
const MAX_UNITS = 512;
const UNITS_PER_CALL = 128;
const MAX_STEP = 1_000;

type Item = Record<string, unknown>;

/**
 * Reads up to `limit` items that a filter lets through, in the order of the sort key, and at most 4 MB of what it does
 * not: then the page is short, or even empty, with more to come. A step asks for as many items as are wanted, and for
 * twice as many each time that the filter left too few: so a page costs what it shows and at most as much again.
 * @param maxUnits fewer, where one of our requests reads several partitions; at least 128, which one call may read.
 * @returns the items as stored, and the item or the key of one after which more may come.
 * @throws DomainError `store_unavailable`.
 */
export const queryFilteredPage = async (
  client: DynamoDBDocumentClient,
  query: Omit<QueryCommandInput, "Limit">,
  limit: number,
  maxUnits = MAX_UNITS,
): Promise<{ items: Item[]; last: Item | undefined }> => {
  const items: Item[] = [];
  let units = 0;
  let start = query.ExclusiveStartKey;
  for (let step = limit + 1; ; step = Math.min(step * 2, MAX_STEP)) {
    const command = new QueryCommand({
      ...query,
      Limit: step,
      ReturnConsumedCapacity: "TOTAL",
      ...(start && { ExclusiveStartKey: start }),
    });
    const {
      Items = [],
      LastEvaluatedKey,
      ConsumedCapacity,
    } = await callStore((options) => client.send(command, options));
    items.push(...Items);
    units += ConsumedCapacity?.CapacityUnits ?? UNITS_PER_CALL;
    if (items.length > limit) return { items: items.slice(0, limit), last: items[limit - 1] };
    start = LastEvaluatedKey;
    if (start === undefined || units > maxUnits - UNITS_PER_CALL) return { items, last: start };
  }
};
