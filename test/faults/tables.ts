/** The items of a lane's tables: read all, and put back what has changed. Goes straight to the engine, past the proxy. */
import { isDeepStrictEqual } from "node:util";
import { type AttributeValue, BatchWriteItemCommand, type DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { TableModel } from "../../infra/local/core/model.ts";

type StoredItem = Record<string, AttributeValue>;

/** All items by table name and primary key. */
export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, StoredItem>>;

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

  const current = new Map<string, Snapshot extends ReadonlyMap<string, infer Items> ? Items : never>();
  const written = new Set(tables.map(({ name }) => name));

  const snapshot = async (): Promise<Snapshot> => {
    const stale = tables.filter(({ name }) => written.has(name));
    written.clear();
    await Promise.all(stale.map(async (table) => current.set(table.name, await scan(table))));
    return new Map(current);
  };

  const restoreTable = async (table: TableModel, before: ReadonlyMap<string, StoredItem>): Promise<void> => {
    const after = current.get(table.name) ?? new Map<string, StoredItem>();
    const writes = [
      ...[...after].flatMap(([key, item]) => (before.has(key) ? [] : [{ DeleteRequest: { Key: keyOf(table, item) } }])),
      ...[...before].flatMap(([key, Item]) =>
        isDeepStrictEqual(after.get(key), Item) ? [] : [{ PutRequest: { Item } }],
      ),
    ];
    for (let i = 0; i < writes.length; i += MAX_WRITES) {
      const RequestItems = { [table.name]: writes.slice(i, i + MAX_WRITES) };
      await client.send(new BatchWriteItemCommand({ RequestItems }));
    }
    current.set(table.name, before);
  };

  return {
    /** Says that tables were written to. @param names without the stack's prefix. */
    noteWrite(names: readonly string[]): void {
      for (const { name } of tables) if (names.includes(shortName(name))) written.add(name);
    },

    /** Reads the tables that were written to since the last call. Those that were not are the same objects as before. */
    snapshot,

    /** Makes the tables as they were. */
    async restore(wanted: Snapshot): Promise<void> {
      const found = await snapshot();
      const changed = tables.filter(({ name }) => found.get(name) !== wanted.get(name));
      await Promise.all(changed.map((table) => restoreTable(table, wanted.get(table.name) ?? new Map())));
    },
  };
};

/** A table's name without the stack's prefix and the hash of its logical id. */
export const shortName = (name: string): string => /-Tables(\w+)[0-9A-F]{8}$/.exec(name)?.[1] ?? name;

/** A table's items as plain values. */
export const itemsOf = (snapshot: Snapshot, table: string): Record<string, unknown>[] =>
  [...snapshot].flatMap(([name, items]) =>
    shortName(name) === table ? [...items.values()].map((item) => unmarshall(item)) : [],
  );
