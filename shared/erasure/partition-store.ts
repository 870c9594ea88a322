import * as z from "zod/mini";
import { inParallel } from "../runtime/in-parallel.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { type Table, unchanged, updateItem } from "../runtime/table.ts";
import { deleteItems } from "../runtime/table-batches.ts";
import { queryOnce } from "../runtime/table-query.ts";
import { organizationKey } from "../terms/keys.ts";
import { type TableKey, type TableName, tables } from "../terms/tables.ts";
import { eventPartitions } from "../webhooks/event-partitions.ts";
import type { Item, ItemUpdate, Partition } from "../work/location.ts";

/** Items per page. Erasing a page takes seconds; the lease lasts longer. */
const PAGE_ITEMS = 1_000;
const UPDATES_AT_ONCE = 16;
/** Attempts of an update while transactions hold its item. */
const UPDATE_ATTEMPTS = 4;

/** The tables that no erasure sweeps, and why. */
const unswept = {
  plants: "Contains no personal data.",
  evidence: "Hashes of events under random salts, counts, and ids of events.",
  idempotencyKeys: "Digests, and answers that only the client can decrypt; they expire after a day.",
} as const satisfies Partial<Record<TableName, string>>;
export type Unswept = typeof unswept;

/** The other tables in which an organization has a partition. */
type SweptTable = Exclude<
  { [Name in TableName]: (typeof tables)[Name]["partitionKey"] extends "scope" ? Name : never }[TableName],
  keyof Unswept
>;
const isSwept = (name: TableName): name is SweptTable =>
  tables[name].partitionKey === "scope" && !Object.hasOwn(unswept, name);
const sweptTables = (Object.keys(tables) as TableName[]).filter(isSwept);

/** One organization's partitions: one of each table, and all of its webhook events. */
export type Partitions = Readonly<Record<Exclude<SweptTable, "webhookEvents">, Partition>> & {
  readonly webhookEvents: readonly Partition[];
};

const createPartition = (table: Table<SweptTable>, { sortKey }: { sortKey: string }, scope: string): Partition => {
  const keyOf = (key: string) => ({ scope, [sortKey]: key }) as TableKey<SweptTable>;

  const update = async (key: string, { remove, set }: ItemUpdate, readItem: Item | undefined): Promise<void> => {
    const guarded = readItem === undefined ? [] : [...remove, ...Object.keys(set)];
    const isUnchanged = guarded.map((name) => unchanged(name, readItem?.[name]));
    const change = {
      set,
      remove,
      condition: [`attribute_exists(#${sortKey})`, ...isUnchanged.map(({ condition }) => condition)].join(" AND "),
      values: Object.assign({}, ...isUnchanged.map(({ values }) => values)),
      whileHeld: "refuse",
    } as const;
    // If the item was deleted or has changed since it was read, the next pass reads it again. It also reads an item that
    // transactions keep holding, and then counts it once more.
    for (let attempts = 0; attempts < UPDATE_ATTEMPTS; attempts++) {
      if (!(await updateItem(table, keyOf(key), change)).isHeld) return;
      await pauseBeforeRetry(attempts);
    }
  };

  return {
    async read(after, { prefix, attributes, filter } = {}) {
      const query = {
        where: `#scope = :scope${prefix === undefined ? "" : ` AND begins_with(#${sortKey}, :prefix)`}`,
        values: { scope, ...(prefix !== undefined && { prefix }), ...filter?.values },
        filter: filter?.condition,
        attributes: attributes && [...new Set([sortKey, ...attributes])],
        after: after === undefined ? undefined : keyOf(after),
        isConsistent: true,
      };
      const { items, next } = await queryOnce(table, query, { limit: PAGE_ITEMS });
      return {
        items: items.map((item) => ({ ...item, sortKey: z.string().parse(item[sortKey]) })),
        next: next && z.string().parse(next[sortKey]),
      };
    },

    async apply(changes, readItems) {
      const deleted = changes.filter(({ change }) => change === "delete");
      await deleteItems(
        table,
        deleted.map(({ key }) => keyOf(key)),
      );
      await inParallel(changes, UPDATES_AT_ONCE, async ({ key, change }) => {
        if (change !== "delete") await update(key, change, readItems?.get(key));
      });
    },
  };
};

/** The returned function returns the partitions of an organization. */
export const createPartitions = (openTable: (name: SweptTable) => Table<SweptTable>) => {
  const opened = sweptTables.map((name) => [name, openTable(name)] as const);
  return (organizationId: string): Partitions => {
    const own = organizationKey(organizationId);
    const partitions = opened.map(([name, table]) => {
      const partitionOf = (scope: string) => createPartition(table, tables[name], scope);
      return [name, name === "webhookEvents" ? eventPartitions(organizationId).map(partitionOf) : partitionOf(own)];
    });
    return Object.fromEntries(partitions) as Partitions;
  };
};
