import { type AttributeValue, DeleteItemCommand, type DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import type { TableModel } from "../core/model.ts";
import { engineClient } from "./client.ts";

type Key = Record<string, AttributeValue>;

/** Deletes one item if it is still expired: its expiry may have been moved since the scan. */
const deleteExpired = async (
  client: DynamoDBClient,
  table: TableModel,
  key: Key,
  now: AttributeValue,
): Promise<number> => {
  try {
    await client.send(
      new DeleteItemCommand({
        TableName: table.name,
        Key: key,
        ConditionExpression: "#ttl <= :now",
        ExpressionAttributeNames: { "#ttl": table.ttlAttribute ?? "" },
        ExpressionAttributeValues: { ":now": now },
      }),
    );
    return 1;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return 0;
    throw error;
  }
};

const sweepTable = async (client: DynamoDBClient, table: TableModel, ttl: string, nowMs: number): Promise<number> => {
  const now: AttributeValue = { N: String(Math.floor(nowMs / 1000)) };
  const keyNames = table.definition.KeySchema.map(({ AttributeName }) => AttributeName);
  const placeholders = Object.fromEntries(keyNames.map((name, index) => [`#k${index}`, name]));
  const pages = paginateScan(
    { client },
    {
      TableName: table.name,
      // Only numbers expire; a comparison with any other type is false.
      FilterExpression: "#ttl <= :now",
      ProjectionExpression: Object.keys(placeholders).join(", "),
      ExpressionAttributeNames: { "#ttl": ttl, ...placeholders },
      ExpressionAttributeValues: { ":now": now },
    },
  );
  let deleted = 0;
  for await (const { Items = [] } of pages) {
    const counts = await Promise.all(Items.map((key) => deleteExpired(client, table, key, now)));
    deleted += counts.reduce((sum, count) => sum + count, 0);
  }
  return deleted;
};

/** Deletes every item whose TTL attribute is at or before the time; answers the number deleted by table name. */
export const sweepExpired = async (
  endpoint: string,
  tables: readonly TableModel[],
  nowMs: number,
): Promise<Record<string, number>> => {
  const client = engineClient(endpoint);
  try {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      if (table.ttlAttribute !== undefined) {
        counts[table.name] = await sweepTable(client, table, table.ttlAttribute, nowMs);
      }
    }
    return counts;
  } finally {
    client.destroy();
  }
};
