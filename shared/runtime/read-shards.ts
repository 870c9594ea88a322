import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { readPages } from "./read-pages.ts";

/**
 * A sparse index that is spread over partitions: its name, the attribute that is its partition key, and the values of
 * that. `upTo`: of its sort key, nothing that comes after.
 */
type ShardedIndex = {
  index: string;
  attribute: string;
  shards: readonly string[];
  upTo?: { attribute: string; last: string };
};

/**
 * All that is in such an index, shard by shard, in each by its sort key. May lag by a second. Half a read unit per shard
 * and 4 KB. The first page of each is asked for at once: few shards have another.
 * @throws DomainError `store_unavailable`.
 */
export async function* readShards(
  client: DynamoDBDocumentClient,
  TableName: string,
  { index, attribute, shards, upTo }: ShardedIndex,
): AsyncGenerator<Record<string, unknown>, void, void> {
  const started = shards.map((shard) => {
    const pages = readPages(client, {
      TableName,
      IndexName: index,
      KeyConditionExpression: upTo === undefined ? "#shard = :shard" : "#shard = :shard AND #key <= :last",
      ExpressionAttributeNames: { "#shard": attribute, ...(upTo && { "#key": upTo.attribute }) },
      ExpressionAttributeValues: { ":shard": shard, ...(upTo && { ":last": upTo.last }) },
    });
    const first = pages.next();
    // Told of where it is awaited, unless an earlier shard has failed or the reader has enough.
    first.catch(() => undefined);
    return { pages, first };
  });
  for (const { pages, first } of started) {
    const { value = [] } = await first;
    yield* value;
    for await (const page of pages) yield* page;
  }
}
