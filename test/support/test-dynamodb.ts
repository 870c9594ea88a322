/**
 * The DynamoDB of the tests: the embedded engine, or with the environment variable DYNAMODB_ENDPOINT the server there.
 * That server is shared by all test files, so the names of the tables begin with a prefix for each run and file there.
 */
import { createHash, randomBytes } from "node:crypto";
import { DeleteTableCommand, paginateListTables } from "@aws-sdk/client-dynamodb";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { type DynamoDb, requireDynamoDb, startDynamoDb } from "../../infra/local/dynamodb/engine.ts";
import { readUrl } from "../../infra/local/start/variables.ts";
import { startTableNamespace } from "./table-namespace.ts";

/** The given server; undefined without one. @throws Error if the variable is malformed. */
export const givenEndpoint = (): string | undefined => readUrl(process.env, "DYNAMODB_ENDPOINT");

/** The beginning of the names of all tables of this run. Jest's workers inherit it from the main process. */
const runPrefix = (): string => {
  process.env.DYNAMODB_TEST_RUN ??= randomBytes(4).toString("hex");
  return `test-${process.env.DYNAMODB_TEST_RUN}-`;
};

/** Before all tests. @throws Error that says what to do if there is neither an engine nor a server. */
export const offerDynamoDb = async (): Promise<void> => {
  runPrefix();
  await requireDynamoDb(givenEndpoint());
};

/** Tables of their own on the given server. The same name has the same tables. */
export const startNamespace = (endpoint: string, name: string) =>
  startTableNamespace(endpoint, `${runPrefix()}${createHash("sha256").update(name).digest("hex").slice(0, 10)}-`);

/** Starts an engine in memory, or empty tables' names on the given server. */
export const startTestDynamoDb = async (): Promise<DynamoDb> => {
  const endpoint = givenEndpoint();
  return endpoint === undefined ? startDynamoDb({}) : startNamespace(endpoint, randomBytes(8).toString("hex"));
};

/** After all tests: deletes this run's tables from the given server. */
export const deleteTestTables = async (): Promise<void> => {
  const endpoint = givenEndpoint();
  if (endpoint === undefined) return;
  const client = engineClient(endpoint);
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    for (const TableName of TableNames.filter((name) => name.startsWith(runPrefix())))
      await client.send(new DeleteTableCommand({ TableName }));
  }
  client.destroy();
};
