/** The items of a lane's tables: read all, and put back what has changed. Goes straight to the engine, past the proxy. */
import { isDeepStrictEqual } from "node:util";
import { type AttributeValue, BatchWriteItemCommand, type DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { TableModel } from "../../infra/local/core/model.ts";

type StoredItem = Record<string, AttributeValue>;

/** All items by table name and primary key. */
export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, StoredItem>>;

/** Items by the table's name without prefix, as plain values. */
export type Contents = Record<string, Record<string, unknown>[]>;

const scanPage = (client: DynamoDBClient, TableName: string, ExclusiveStartKey: StoredItem | undefined) =>
  client.send(new ScanCommand({ TableName, ConsistentRead: true, ...(ExclusiveStartKey && { ExclusiveStartKey }) }));

const MAX_WRITES = 25;

export const openTables = (client: DynamoDBClient, tables: readonly TableModel[]) => {
  const keyOf = ({ definition }: TableModel, item: StoredItem): StoredItem =>
    Object.fromEntries(
      definition.KeySchema.flatMap(({ AttributeName: name }) => (item[name] === undefined ? [] : [[name, item[name]]])),
    );

  const scan = async (table: TableModel): Promise<Map<string, StoredItem>> => {
    const items = new Map<string, StoredItem>();
    let next: StoredItem | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await scanPage(client, table.name, next);
      for (const item of Items) items.set(JSON.stringify(keyOf(table, item)), item);
      next = LastEvaluatedKey;
    } while (next !== undefined);
    return items;
  };

  const snapshot = async (): Promise<Snapshot> =>
    new Map(await Promise.all(tables.map(async (table) => [table.name, await scan(table)] as const)));

  return {
    snapshot,

    /** Makes the tables as they were. */
    async restore(wanted: Snapshot): Promise<void> {
      const found = await snapshot();
      for (const table of tables) {
        const [before, after] = [wanted.get(table.name) ?? new Map(), found.get(table.name) ?? new Map()];
        const writes = [
          ...[...after].flatMap(([key, item]) =>
            before.has(key) ? [] : [{ DeleteRequest: { Key: keyOf(table, item) } }],
          ),
          ...[...before].flatMap(([key, Item]) =>
            isDeepStrictEqual(after.get(key), Item) ? [] : [{ PutRequest: { Item } }],
          ),
        ];
        for (let i = 0; i < writes.length; i += MAX_WRITES) {
          const RequestItems = { [table.name]: writes.slice(i, i + MAX_WRITES) };
          await client.send(new BatchWriteItemCommand({ RequestItems }));
        }
      }
    },
  };
};

/** A snapshot as plain values. */
export const contentsOf = (snapshot: Snapshot): Contents =>
  Object.fromEntries(
    [...snapshot].map(([name, items]) => [
      /-Tables(\w+)[0-9A-F]{8}$/.exec(name)?.[1] ?? name,
      [...items.values()].map((item) => unmarshall(item)),
    ]),
  );
