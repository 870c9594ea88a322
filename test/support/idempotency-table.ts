/** The definition of a table for Idempotency-Keys, as infra/constructs/resources/tables.ts creates it. */
export const idempotencyTable = {
  TableName: "keys",
  KeySchema: [
    { AttributeName: "scope", KeyType: "HASH" as const },
    { AttributeName: "key", KeyType: "RANGE" as const },
  ],
  AttributeDefinitions: [
    { AttributeName: "scope", AttributeType: "S" as const },
    { AttributeName: "key", AttributeType: "S" as const },
  ],
};
