import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import type { ShardedIndex } from "./sharded-index.ts";
import { readIndex } from "./sharded-index-store.ts";

export type DueMarkStore = ReturnType<typeof createDueMarkStore>;

/**
 * Due marks: an item per piece of work that is to be done for a scope, under the partition key `scope` and a sort key
 * that names the work. A schedule lists the marks, has the work done, and then clears them. A mark too many does no
 * harm, so consumers may mark the same work again. All calls throw DomainError `store_unavailable`.
 */
export const createDueMarkStore = (client: DynamoDBDocumentClient, tableName: string, index: ShardedIndex) => {
  const { partitionKey, sortKey } = index;

  /** The item of a mark. With `token`, a new one for each mark, `clear` leaves marks that were made again. */
  const itemOf = (scope: string, key: string, attributes: Readonly<Record<string, unknown>> & { token?: string }) => ({
    ...{ scope, [sortKey]: key, [partitionKey]: index.shardOf(scope) },
    ...attributes,
  });

  return {
    itemOf,

    /** Marks work as due; two write units. */
    async mark(...[scope, key, attributes]: Parameters<typeof itemOf>): Promise<void> {
      const command = new PutCommand({ TableName: tableName, Item: itemOf(scope, key, attributes) });
      await callStore((options) => client.send(command, options));
    },

    /**
     * All marks, shard by shard, each shard by sort key.
     * @param last reads no mark whose sort key is greater.
     * @param shard reads only this shard.
     */
    list: (last?: string, shard?: string): AsyncGenerator<Record<string, unknown>, void, void> =>
      readIndex(client, tableName, shard === undefined ? index : { ...index, shards: [shard] }, last),

    /**
     * Removes a mark; two write units.
     * @param token of the mark as it was read; undefined removes whatever mark is there.
     * @returns false if the work was marked again since.
     */
    async clear(scope: string, key: string, token?: string): Promise<boolean> {
      const command = new DeleteCommand({
        ...{ TableName: tableName, Key: { scope, [sortKey]: key } },
        ...(token !== undefined && {
          ConditionExpression: "#token = :token",
          ExpressionAttributeNames: { "#token": "token" },
          ExpressionAttributeValues: { ":token": token },
        }),
      });
      return (await conditionalWrite((options) => client.send(command, options))).written;
    },
  };
};
