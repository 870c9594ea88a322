import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { defineShardedIndex } from "../../../shared/work/sharded-index.ts";
import { readIndex } from "../../../shared/work/sharded-index-store.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";

const text = (AttributeName: string) => ({ AttributeName, AttributeType: "S" as const });
const table = {
  TableName: "marks",
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" as const }],
  AttributeDefinitions: [text("id"), text("shard"), text("at")],
  GlobalSecondaryIndexes: [
    {
      IndexName: "byShard",
      KeySchema: [
        { AttributeName: "shard", KeyType: "HASH" as const },
        { AttributeName: "at", KeyType: "RANGE" as const },
      ],
      Projection: { ProjectionType: "ALL" as const },
    },
  ],
};
const INDEX = defineShardedIndex(
  { name: "byShard", partitionKey: "shard", sortKey: "at", holds: "items" },
  { count: 3 },
);

/** Four of them are more than a page. */
const LARGE = "x".repeat(300_000);

let engine: EmbeddedDynamoDb;
let client: DynamoDBDocumentClient;
beforeAll(async () => {
  engine = await startEmbeddedDynamoDb(table);
  client = engine.documentClient();
  const put = (shard: string, at: string) =>
    client.send(new PutCommand({ TableName: "marks", Item: { id: `${shard}${at}`, shard, at, LARGE } }));
  for (const at of ["d", "a", "e", "c", "b"]) await put("0", at);
  for (const at of ["b", "a"]) await put("2", at);
});
afterAll(() => engine.stop());

const idsOf = async (last?: string): Promise<unknown[]> => {
  const ids: unknown[] = [];
  for await (const { id } of readIndex(client, "marks", INDEX, last)) ids.push(id);
  return ids;
};

describe("an index that is spread over shards", () => {
  it("is read to its end, shard by shard, page by page", async () => {
    await expect(idsOf()).resolves.toEqual(["0a", "0b", "0c", "0d", "0e", "2a", "2b"]);
  });

  it("is read up to a key, inclusive", async () => {
    await expect(idsOf("b")).resolves.toEqual(["0a", "0b", "2a", "2b"]);
  });

  it("fails once with the store's domain error, whichever shard failed", async () => {
    const nowhere = DynamoDBDocumentClient.from(
      new DynamoDBClient({
        endpoint: "http://127.0.0.1:1",
        region: "eu-central-1",
        credentials: { accessKeyId: "a", secretAccessKey: "b" },
        maxAttempts: 1,
      }),
    );
    await expect(readIndex(nowhere, "marks", INDEX).next()).rejects.toMatchObject({ code: "store_unavailable" });
  });

  it("may be left before its end", async () => {
    for await (const { id } of readIndex(client, "marks", INDEX)) {
      expect(id).toBe("0a");
      break;
    }
  });
});
