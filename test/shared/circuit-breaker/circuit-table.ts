/** The breaker's table, as the infrastructure defines it. */
import type { TestTable } from "../../support/embedded-dynamodb.ts";

export const circuitTable = {
  TableName: "circuits",
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  AttributeDefinitions: [
    { AttributeName: "id", AttributeType: "S" },
    { AttributeName: "sh", AttributeType: "S" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "notClosed",
      KeySchema: [{ AttributeName: "sh", KeyType: "HASH" }],
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["ou"] },
    },
  ],
} satisfies TestTable;
