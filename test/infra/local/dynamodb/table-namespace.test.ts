import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createTables } from "../../../../infra/local/dynamodb/tables.ts";
import { startEmbeddedDynamoDb, tableModel } from "../../../support/embedded-dynamodb.ts";
import { startTableNamespace } from "../../../support/table-namespace.ts";
import { usePerFile } from "../../../support/use-started.ts";

const things = tableModel({
  TableName: "things",
  KeySchema: [{ AttributeName: "key", KeyType: "HASH" }],
  AttributeDefinitions: [{ AttributeName: "key", AttributeType: "S" }],
});
const TableName = "things";

const database = usePerFile(startEmbeddedDynamoDb);
let stops: (() => Promise<void>)[];
let one: DynamoDBDocumentClient;
let other: DynamoDBDocumentClient;
beforeAll(async () => {
  const namespaces = await Promise.all(["one-", "other-"].map((name) => startTableNamespace(database.endpoint, name)));
  stops = namespaces.map(({ stop }) => stop);
  const clients = namespaces.map(({ endpoint }) => DynamoDBDocumentClient.from(database.client({ endpoint })));
  for (const { endpoint } of namespaces) await createTables(endpoint, [things]);
  [one = database.documentClient(), other = database.documentClient()] = clients;
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

describe("table namespaces on one server", () => {
  it("list, fill and read tables of their own under the same names", async () => {
    await one.send(new PutCommand({ TableName, Item: { key: "a", TableName } }));
    await other.send(new BatchWriteCommand({ RequestItems: { things: [{ PutRequest: { Item: { key: "b" } } }] } }));
    await other.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item: { key: "c" } } }] }));
    for (const client of [one, other])
      expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(["things"]);
    expect((await one.send(new GetCommand({ TableName, Key: { key: "a" } }))).Item).toEqual({ key: "a", TableName });
    const keysOf = async (client: DynamoDBDocumentClient) => {
      const Keys = ["a", "b", "c"].map((key) => ({ key }));
      const { Responses } = await client.send(new BatchGetCommand({ RequestItems: { things: { Keys } } }));
      return Responses?.things?.map(({ key }) => key).sort();
    };
    expect([await keysOf(one), await keysOf(other)]).toEqual([["a"], ["b", "c"]]);
  });
});
