/** The service's tables in a real DynamoDB, for one test file. */

import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll } from "@jest/globals";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { createTable, type Table } from "../../shared/runtime/table.ts";
import { type TableIndex, type TableName, type TableSpec, tables } from "../../shared/terms/tables.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb, type TestTable } from "./embedded-dynamodb.ts";

const projectionOf = ({ holds }: TableIndex) => {
  if (holds === "items") return { ProjectionType: "ALL" as const };
  if (holds === "keys") return { ProjectionType: "KEYS_ONLY" as const };
  return { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...holds] };
};

const keySchema = (partitionKey: string, sortKey: string | undefined) => [
  { AttributeName: partitionKey, KeyType: "HASH" as const },
  ...(sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: "RANGE" as const }]),
];

/** The definition of a table for the engine. */
const tableDefinition = (TableName: TableName): TestTable => {
  const { partitionKey, sortKey, sortKeyType, expires, indexes = [] }: TableSpec = tables[TableName];
  const numbers = [sortKeyType === "number" && sortKey, ...indexes.map((one) => one.isSortedByTime && one.sortKey)];
  const attributes = new Set([partitionKey, sortKey, ...indexes.flatMap((one) => [one.partitionKey, one.sortKey])]);
  return {
    TableName,
    KeySchema: keySchema(partitionKey, sortKey),
    AttributeDefinitions: [...attributes].flatMap((AttributeName) =>
      AttributeName === undefined
        ? []
        : [{ AttributeName, AttributeType: numbers.includes(AttributeName) ? ("N" as const) : ("S" as const) }],
    ),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index.partitionKey, index.sortKey),
        Projection: projectionOf(index),
      })),
    }),
    ...(expires && { ttlAttribute: "ttl" }),
  };
};

/**
 * Starts a database with tables before the file's tests and stops it after them. Clients and tables may be made at once;
 * their calls work from the first `beforeAll` after this one on.
 */
export const useDatabase = (...names: readonly TableName[]) => {
  let database: EmbeddedDynamoDb | undefined;
  let started: DynamoDBDocumentClient | undefined;
  const running = (): EmbeddedDynamoDb => {
    if (database === undefined) throw new Error("The database starts before the tests; call it in a test or a hook.");
    return database;
  };
  beforeAll(async () => {
    database = await startEmbeddedDynamoDb(...names.map((name) => tableDefinition(name)));
    started = database.documentClient(documentTranslation);
  });
  afterAll(() => database?.stop());
  const send = (...args: Parameters<DynamoDBDocumentClient["send"]>) => {
    running();
    return started?.send(...args);
  };
  const client = { send } as unknown as DynamoDBDocumentClient;
  return {
    /** The engine, for clients of other settings. */
    running,
    client,
    /** A client of its own, for a test that counts or disturbs its calls. */
    newClient: (): DynamoDBDocumentClient => running().documentClient(documentTranslation),
    /** A client of another endpoint, such as a proxy in front of the engine. */
    clientAt: (endpoint: string, maxAttempts = 3): DynamoDBDocumentClient =>
      DynamoDBDocumentClient.from(running().client({ endpoint, maxAttempts }), documentTranslation),
    /** @param over another client, such as one that loses answers. */
    table: <Name extends TableName>(name: Name, over: DynamoDBDocumentClient = client): Table<Name> =>
      createTable<Name>(over, name),
  };
};

/** One table of the service in a database of the file's own. */
export const useTable = <Name extends TableName>(name: Name): Table<Name> => useDatabase(name).table(name);
