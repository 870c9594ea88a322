/** A real engine with the table of records as the template declares it. */

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createRecordListStore } from "../../shared/records/record-list-store.ts";
import { createRecordStore, RECORD_VERSION } from "../../shared/records/record-store.ts";
import { replaceInBatches } from "../../shared/runtime/replace-batches.ts";
import { createTable } from "../../shared/runtime/table.ts";
import type { EmbeddedDynamoDb } from "./embedded-dynamodb.ts";
import { startTables } from "./service-tables.ts";

const TABLE = "records";

/** All record stores over one client. Writes of records are gathered in batches, as sync runs do. */
export const recordStoresOver = (client: DynamoDBDocumentClient) => {
  const table = createTable<typeof TABLE>(client, TABLE);
  return { ...createRecordStore(table, replaceInBatches(table, RECORD_VERSION)), ...createRecordListStore(table) };
};
export type RecordStores = ReturnType<typeof recordStoresOver>;

export type RecordTable = EmbeddedDynamoDb & {
  translated(): DynamoDBDocumentClient;
  stores(): RecordStores;
  /** The stores over another endpoint of the engine, such as a proxy. */
  storesAt(endpoint: string): RecordStores;
  /** An organization id that no earlier test used. */
  newOrganization(): string;
};

export const startRecordTable = async (): Promise<RecordTable> => {
  const database = await startTables(TABLE);
  let organizations = 0;
  const translated = () => database.documentClient();
  return {
    ...database,
    translated,
    stores: () => recordStoresOver(translated()),
    storesAt: (endpoint) => recordStoresOver(database.clientAt(endpoint)),
    newOrganization: () => `organization ${++organizations}`,
  };
};
