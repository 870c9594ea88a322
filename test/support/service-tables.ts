/** The service's tables (shared/terms/tables.ts) in an engine of one's own. Test files: use-table.ts. */
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
export const tableDefinition = (TableName: TableName): TestTable => {
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

/** Starts an engine with tables of the service under their own names. */
export const startTables = (...names: readonly TableName[]): Promise<EmbeddedDynamoDb> =>
  startEmbeddedDynamoDb(...names.map(tableDefinition));
