import { BatchWriteItemCommand, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "@jest/globals";
import { sweepExpired } from "../../../../infra/local/dynamodb/ttl-sweep.ts";
import { startEmbeddedDynamoDb, type TestTable, tableModel } from "../../../support/embedded-dynamodb.ts";
import { usePerFile } from "../../../support/use-started.ts";

const table = (name: string): TestTable => ({
  TableName: name,
  KeySchema: [{ AttributeName: "key", KeyType: "HASH" }],
  AttributeDefinitions: [{ AttributeName: "key", AttributeType: "S" }],
});
// The name is a reserved word in DynamoDB's expressions.
const expiring = { ...table("expiring"), ttlAttribute: "ttl" };
const many = { ...table("many"), ttlAttribute: "ttl" };
const lasting = table("lasting");

const database = usePerFile(() => startEmbeddedDynamoDb(expiring, many, lasting));

const keysIn = async (TableName: string): Promise<(string | undefined)[]> => {
  const { Items = [] } = await database.client().send(new ScanCommand({ TableName }));
  return Items.map(({ key }) => key?.S).sort();
};

describe("sweepExpired", () => {
  it("deletes only the items that have expired by that second", async () => {
    const client = database.client();
    const items = { past: { N: "999" }, now: { N: "1000" }, future: { N: "1001" }, text: { S: "1" }, never: undefined };
    for (const [key, ttl] of Object.entries(items)) {
      const Item = { key: { S: key }, ...(ttl && { ttl }) };
      await client.send(new PutItemCommand({ TableName: "expiring", Item }));
    }
    await client.send(new PutItemCommand({ TableName: "lasting", Item: { key: { S: "past" }, ttl: { N: "1" } } }));
    const counts = await sweepExpired(database.endpoint, [expiring, lasting].map(tableModel), 1_000_999);
    expect(counts).toEqual({ expiring: 2 });
    expect(await keysIn("expiring")).toEqual(["future", "never", "text"]);
    expect(await keysIn("lasting")).toEqual(["past"]);
  });

  it("reads every page of a large table", async () => {
    // 100 items of 30 KB are three pages of 1 MB.
    const filler = { S: "x".repeat(30_000) };
    for (let start = 0; start < 100; start += 25) {
      const puts = Array.from({ length: 25 }, (_, offset) => ({
        PutRequest: { Item: { key: { S: `item-${start + offset}` }, ttl: { N: "1" }, filler } },
      }));
      await database.client().send(new BatchWriteItemCommand({ RequestItems: { many: puts } }));
    }
    expect(await sweepExpired(database.endpoint, [tableModel(many)], 2_000)).toEqual({ many: 100 });
    expect(await keysIn("many")).toEqual([]);
  });
});
