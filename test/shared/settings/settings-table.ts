/** The settings' table, as the infrastructure defines it. */
import type { TestTable } from "../../support/embedded-dynamodb.ts";

export const settingsTable = {
  TableName: "settings",
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
} satisfies TestTable;
