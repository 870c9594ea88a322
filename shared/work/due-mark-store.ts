import { deleteItem, type Item, putItem, type Table } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import type { TableKey, TableName } from "../terms/tables.ts";
import type { ShardedIndex } from "./sharded-index.ts";
import { readIndex } from "./sharded-index-store.ts";

/**
 * Due marks: an item per piece of work that is to be done for a scope, under the partition key `scope` and a sort key
 * that names the work. A schedule lists the marks, has the work done, and then clears them. A mark too many does no
 * harm, so consumers may mark the same work again. All calls throw DomainError `store_unavailable`.
 */
export const createDueMarkStore = (table: Table, index: ShardedIndex) => {
  const { partitionKey, sortKey } = index;

  const keyOf = (scope: string, key: string) => ({ scope, [sortKey]: key }) as TableKey<TableName>;

  /** The item of a mark. With `token`, a new one for each mark, `clear` leaves marks that were made again. */
  const itemOf = (scope: string, key: string, attributes: Item & { token?: string }) => ({
    ...keyOf(scope, key),
    [partitionKey]: index.shardOf(scope),
    ...attributes,
  });

  return {
    itemOf,

    /** Marks work as due; two write units. */
    async mark(...[scope, key, attributes]: Parameters<typeof itemOf>): Promise<void> {
      await putItem(table, itemOf(scope, key, attributes));
    },

    /**
     * All marks, shard by shard, each shard by sort key.
     * @param last reads no mark whose sort key is greater.
     * @param shard reads only this shard.
     */
    list: (last?: string, shard?: string): AsyncGenerator<Item, void, void> =>
      readIndex(table, shard === undefined ? index : { ...index, shards: [shard] }, last),

    /**
     * The marks of a scope with sort keys from `first` to `last`, in order, read strongly consistent: a read unit per 4 KB.
     */
    async *listOf(scope: string, first: string, last: string): AsyncGenerator<Item, void, void> {
      const where = `#scope = :scope AND #${sortKey} BETWEEN :first AND :last`;
      const query = { where, values: { scope, first, last }, isConsistent: true };
      for await (const page of queryPages(table, query)) yield* page;
    },

    /**
     * Removes a mark; two write units.
     * @param token of the mark as it was read; undefined removes whatever mark is there.
     * @returns false if the work was marked again since.
     */
    async clear(scope: string, key: string, token?: string): Promise<boolean> {
      const isThisMark = token === undefined ? {} : { condition: "#token = :token", values: { token } };
      return (await deleteItem(table, keyOf(scope, key), isThisMark)).written;
    },
  };
};
