import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  PutItemCommand,
  QueryCommand,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "@jest/globals";
import { startEmbeddedDynamoDb, type TestTable } from "../../../support/embedded-dynamodb.ts";
import { usePerFile } from "../../../support/use-started.ts";

const database = usePerFile(startEmbeddedDynamoDb);

const index = (name: string, sortKey: string) => ({
  IndexName: name,
  KeySchema: [
    { AttributeName: "scope", KeyType: "HASH" as const },
    { AttributeName: sortKey, KeyType: "RANGE" as const },
  ],
  Projection: { ProjectionType: "ALL" as const },
});

const plants = (name: string): TestTable => ({
  TableName: name,
  KeySchema: [
    { AttributeName: "scope", KeyType: "HASH" },
    { AttributeName: "id", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [
    { AttributeName: "scope", AttributeType: "S" },
    { AttributeName: "id", AttributeType: "N" },
  ],
});

const withIndex = (name: string): TestTable => ({
  ...plants(name),
  AttributeDefinitions: [...plants(name).AttributeDefinitions, { AttributeName: "name", AttributeType: "S" }],
  GlobalSecondaryIndexes: [index("byName", "name")],
});

const put = (table: string) =>
  database
    .client()
    .send(new PutItemCommand({ TableName: table, Item: { scope: { S: "a" }, id: { N: "1" }, name: { S: "fern" } } }));

const queryByName = (table: string) =>
  database.client().send(
    new QueryCommand({
      TableName: table,
      IndexName: "byName",
      KeyConditionExpression: "#scope = :scope AND #name = :name",
      ExpressionAttributeNames: { "#scope": "scope", "#name": "name" },
      ExpressionAttributeValues: { ":scope": { S: "a" }, ":name": { S: "fern" } },
    }),
  );

describe("createTables", () => {
  it("creates keys, indexes and the TTL attribute of the template", async () => {
    await database.createTables({ ...withIndex("whole"), ttlAttribute: "expiresAtSeconds" });
    const { Table } = await database.client().send(new DescribeTableCommand({ TableName: "whole" }));
    expect(Table?.KeySchema).toEqual(plants("whole").KeySchema);
    expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(["byName"]);
    const ttl = await database.client().send(new DescribeTimeToLiveCommand({ TableName: "whole" }));
    expect(ttl.TimeToLiveDescription?.AttributeName).toBe("expiresAtSeconds");
  });

  it("keeps an existing table and its items", async () => {
    await database.createTables({ ...withIndex("kept"), ttlAttribute: "expiresAtSeconds" });
    await put("kept");
    await database.createTables({ ...withIndex("kept"), ttlAttribute: "expiresAtSeconds" });
    expect((await queryByName("kept")).Count).toBe(1);
  });

  it("adds an index to an existing table and fills it", async () => {
    await database.createTables(plants("grown"));
    await put("grown");
    await database.createTables(withIndex("grown"));
    expect((await queryByName("grown")).Count).toBe(1);
  });

  it("removes an index that is no longer in the template", async () => {
    await database.createTables(withIndex("shrunk"));
    await database.createTables(plants("shrunk"));
    await expect(queryByName("shrunk")).rejects.toThrow(/index/);
  });

  it.each([
    ["its keys differ", { KeySchema: [{ AttributeName: "scope", KeyType: "HASH" as const }] }],
    [
      "its keys differ",
      {
        AttributeDefinitions: [
          { AttributeName: "scope", AttributeType: "S" as const },
          { AttributeName: "id", AttributeType: "S" as const },
        ],
      },
    ],
    [
      "its index byName differs",
      {
        ...withIndex(""),
        GlobalSecondaryIndexes: [{ ...index("byName", "name"), Projection: { ProjectionType: "KEYS_ONLY" as const } }],
      },
    ],
  ])("refuses a table when %s", async (problem, change) => {
    const name = `conflict-${crypto.randomUUID()}`;
    await database.createTables(withIndex(name));
    await expect(database.createTables({ ...plants(name), ...change, TableName: name })).rejects.toThrow(
      `${name} (${name}) exists already and ${problem} from the template's: delete the data directory`,
    );
  });
});
