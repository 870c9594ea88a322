/** The service's tables in a real DynamoDB, for one test file. */

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createTable, type Table } from "../../shared/runtime/table.ts";
import type { TableName } from "../../shared/terms/tables.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb, type TestTable } from "./embedded-dynamodb.ts";
import { tableDefinition } from "./service-tables.ts";
import { usePerFile } from "./use-started.ts";

/** An engine for the tests of a file. @param tables names of the service's tables, or definitions of others */
export const useEngine = (...tables: readonly (TableName | TestTable)[]): EmbeddedDynamoDb =>
  usePerFile(() =>
    startEmbeddedDynamoDb(...tables.map((table) => (typeof table === "string" ? tableDefinition(table) : table))),
  );

/** An engine for the tests of a file. Clients and tables may be made at once, their calls work in tests and hooks. */
export const useDatabase = (...names: readonly TableName[]) => {
  const engine = useEngine(...names);
  let started: DynamoDBDocumentClient | undefined;
  const send = (...args: Parameters<DynamoDBDocumentClient["send"]>) => {
    started ??= engine.documentClient();
    return started.send(...args);
  };
  const client = { send } as unknown as DynamoDBDocumentClient;
  return {
    /** The engine, for clients of other settings. */
    running: () => engine,
    client,
    /** A client of its own, for a test that counts or disturbs its calls. */
    newClient: (): DynamoDBDocumentClient => engine.documentClient(),
    /** A client of another endpoint, such as a proxy in front of the engine. */
    clientAt: (...at: Parameters<EmbeddedDynamoDb["clientAt"]>) => engine.clientAt(...at),
    /** @param over another client, such as one that loses answers. */
    table: <Name extends TableName>(name: Name, over: DynamoDBDocumentClient = client): Table<Name> =>
      createTable<Name>(over, name),
  };
};

/** One table of the service in a database of the file's own. */
export const useTable = <Name extends TableName>(name: Name): Table<Name> => useDatabase(name).table(name);
