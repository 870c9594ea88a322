/** The items of two tables of one shape, read and written as DynamoDB has them. */
import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import { type TableName, type TableSpec, tables } from "../../shared/terms/tables.ts";

export type RawItem = Record<string, AttributeValue>;

/** The attributes of a table's key. */
const keyNames = (table: TableName): string[] => {
  const { partitionKey, sortKey }: TableSpec = tables[table];
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
};

const MAX_BATCH = 100;

/** Pages of at most 100 items, read strongly consistent. */
export const scanPages = async function* (client: DynamoDBClient, TableName: string): AsyncGenerator<RawItem[]> {
  let ExclusiveStartKey: RawItem | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName,
        ConsistentRead: true,
        Limit: MAX_BATCH,
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    yield page.Items ?? [];
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
};

const keyOf = (names: readonly string[], item: RawItem): RawItem =>
  Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

/** The same text for equal attribute values, whatever their order. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString("base64");
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });

export const isEqual = (one: RawItem, other: RawItem): boolean => textOf(one) === textOf(other);

/** The items of a table with the keys of others; undefined where there is none. At most 100. */
export const readSame = async (
  client: DynamoDBClient,
  { table, name }: { table: TableName; name: string },
  items: readonly RawItem[],
): Promise<(RawItem | undefined)[]> => {
  const names = keyNames(table);
  const keys = items.map((item) => keyOf(names, item));
  const found = new Map<string, RawItem>();
  for (let wanted = keys; wanted.length > 0; ) {
    const request = { [name]: { Keys: wanted, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems: request }));
    for (const item of Responses?.[name] ?? []) found.set(textOf(keyOf(names, item)), item);
    wanted = UnprocessedKeys?.[name]?.Keys ?? [];
  }
  return keys.map((key) => found.get(textOf(key)));
};

/** Writes an item, unless the table has another one of its key than was read. @returns whether it was written */
export const writeBack = async (
  client: DynamoDBClient,
  { table, name }: { table: TableName; name: string },
  item: RawItem,
  read: RawItem | undefined,
): Promise<boolean> => {
  const [partitionKey = ""] = keyNames(table);
  const isAbsent = {
    ConditionExpression: "attribute_not_exists(#key)",
    ExpressionAttributeNames: { "#key": partitionKey },
  };
  try {
    await client.send(new PutItemCommand({ TableName: name, Item: item, ...(read === undefined && isAbsent) }));
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};
