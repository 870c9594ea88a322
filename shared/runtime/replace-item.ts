/** Optimistic locking: an item is replaced only if no other write has changed it since it was read. */
import type { TableKey, TableName } from "../terms/tables.ts";
import { putItem, type Table, unchanged } from "./table.ts";
import type { Item } from "./table-expressions.ts";

/**
 * `item`: the whole new item; attributes that are undefined do not exist. `previous`: the whole item as it was read;
 * undefined if there was none.
 */
export type Replacement<Name extends TableName> = {
  key: TableKey<Name> & Item;
  item: TableKey<Name> & Item;
  previous: Item | undefined;
};

/**
 * Replaces an item: a write unit per KB, and the same per index of the item.
 * @returns whether the item was written; false if another write came first.
 * @throws DomainError `store_unavailable`; even if the store refuses the item (`isItemRefused`).
 */
export type ReplaceItem<Name extends TableName> = (replacement: Replacement<Name>) => Promise<boolean>;

/**
 * Replaces each item by a call of its own. replace-batches.ts replaces 25 by one call.
 * @param version the attribute that each write sets to a value that no other write has.
 */
export const replaceSingly =
  <Name extends TableName>(table: Table<Name>, version: string): ReplaceItem<Name> =>
  async ({ item, previous }) => {
    const { written } = await putItem(table, item, { ...unchanged(version, previous?.[version]), own: version });
    return written;
  };
