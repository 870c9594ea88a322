import type { Item, Table } from "../runtime/table.ts";
import { queryPage, queryPages } from "../runtime/table-query.ts";
import type { ShardedIndex } from "./sharded-index.ts";

type Read = Omit<ShardedIndex, "shardOf">;

/**
 * All items of an index, shard by shard, each shard in the order of its sort key. May lag by a second. Costs half a read
 * unit per shard and 4 KB. The first page of each shard is read at once, because few shards have a second page.
 * @param last reads no item whose sort key is greater.
 * @throws DomainError `store_unavailable`.
 */
export async function* readIndex(table: Table, index: Read, last?: string): AsyncGenerator<Item, void, void> {
  const inShard = `#${index.partitionKey} = :shard`;
  const where = last === undefined ? inShard : `${inShard} AND #${index.sortKey} <= :last`;
  const started = index.shards.map((shard) => {
    const pages = queryPages(table, { index, where, values: last === undefined ? { shard } : { shard, last } });
    const first = pages.next();
    // The error is thrown below, unless an earlier shard failed or the reader stopped before this shard.
    first.catch(() => undefined);
    return { pages, first };
  });
  for (const { pages, first } of started) {
    const { value = [] } = await first;
    yield* value;
    for await (const page of pages) yield* page;
  }
}

/**
 * The items of an index that have waited since before a time: at most `limit` of each shard, each shard's oldest first.
 * May lag by a second. Costs half a read unit per shard and 4 KB.
 * @param waiting.before epoch ms, as the index's sort key.
 * @throws DomainError `store_unavailable`.
 */
export const listWaiting = async (
  table: Table,
  index: Read,
  { before, limit }: { before: number; limit: number },
): Promise<Item[]> => {
  const where = `#${index.partitionKey} = :shard AND #${index.sortKey} < :before`;
  const read = async (shard: string) =>
    (await queryPage(table, { index, where, values: { shard, before } }, limit)).items;
  return (await Promise.all(index.shards.map(read))).flat();
};
