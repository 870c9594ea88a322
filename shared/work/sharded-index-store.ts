import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { queryPage } from "../runtime/query-page.ts";
import { readPages } from "../runtime/read-pages.ts";
import type { ShardedIndex } from "./sharded-index.ts";

type Items = Record<string, unknown>[];

type Read = Omit<ShardedIndex, "shardOf">;

/**
 * All items of an index, shard by shard, each shard in the order of its sort key. May lag by a second. Costs half a read
 * unit per shard and 4 KB. The first page of each shard is read at once, because few shards have a second page.
 * @param last reads no item whose sort key is greater.
 * @throws DomainError `store_unavailable`.
 */
export async function* readIndex(
  client: DynamoDBDocumentClient,
  TableName: string,
  { name, partitionKey, sortKey, shards }: Read,
  last?: string,
): AsyncGenerator<Record<string, unknown>, void, void> {
  const started = shards.map((shard) => {
    const pages = readPages(client, {
      ...{ TableName, IndexName: name },
      KeyConditionExpression: last === undefined ? "#shard = :shard" : "#shard = :shard AND #key <= :last",
      ExpressionAttributeNames: { "#shard": partitionKey, ...(last !== undefined && { "#key": sortKey }) },
      ExpressionAttributeValues: { ":shard": shard, ...(last !== undefined && { ":last": last }) },
    });
    const first = pages.next();
    // The error is thrown below, unless an earlier shard failed or the reader stopped before this shard.
    first.catch(() => undefined);
    return { pages, first };
  });
  for (const { pages, first } of started) {
    const { value = [] } = await first;
    yield* value;
    for await (const page of pages) yield* page;
  }
}

/**
 * The items of an index that have waited since before a time: at most `limit` of each shard, each shard's oldest first.
 * May lag by a second. Costs half a read unit per shard and 4 KB.
 * @param waiting.before epoch ms, as the index's sort key.
 * @throws DomainError `store_unavailable`.
 */
export const listWaiting = async (
  client: DynamoDBDocumentClient,
  TableName: string,
  { name, partitionKey, sortKey, shards }: Read,
  { before, limit }: { before: number; limit: number },
): Promise<Items> => {
  const read = async (shard: string): Promise<Items> => {
    const query = {
      ...{ TableName, IndexName: name },
      KeyConditionExpression: "#shard = :shard AND #time < :before",
      ExpressionAttributeNames: { "#shard": partitionKey, "#time": sortKey },
      ExpressionAttributeValues: { ":shard": shard, ":before": before },
    };
    return (await queryPage(client, query, limit)).items;
  };
  return (await Promise.all(shards.map(read))).flat();
};
