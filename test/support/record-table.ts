/** A real engine with the table of records as the template declares it. */

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createRecordListStore } from "../../shared/records/record-list-store.ts";
import { createRecordStore } from "../../shared/records/record-store.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { createTable } from "../../shared/runtime/table.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "./embedded-dynamodb.ts";
import { declaredTable } from "./security-tables.ts";

const TABLE = "records";

/** All record stores over one client. */
export const recordStoresOver = (client: DynamoDBDocumentClient) => ({
  ...createRecordStore(createTable(client, TABLE)),
  ...createRecordListStore(createTable(client, TABLE)),
});
export type RecordStores = ReturnType<typeof recordStoresOver>;

/** The stores over another endpoint of the engine, such as a proxy. */
export const recordStoresAt = (endpoint: string): RecordStores =>
  recordStoresOver(
    DynamoDBDocumentClient.from(
      new DynamoDBClient({
        endpoint,
        region: "eu-central-1",
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
        maxAttempts: 3,
      }),
      documentTranslation,
    ),
  );

export type RecordTable = EmbeddedDynamoDb & {
  translated(): DynamoDBDocumentClient;
  stores(): RecordStores;
  /** An organization id that no earlier test used. */
  newOrganization(): string;
};

export const startRecordTable = async (): Promise<RecordTable> => {
  const database = await startEmbeddedDynamoDb(declaredTable("TablesRecords", TABLE));
  let organizations = 0;
  const translated = () => database.documentClient(documentTranslation);
  return {
    ...database,
    translated,
    stores: () => recordStoresOver(translated()),
    newOrganization: () => `organization ${++organizations}`,
  };
};
