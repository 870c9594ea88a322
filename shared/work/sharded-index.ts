/**
 * A sparse index over items that wait for work: an item is in the index while it has the index's partition key, and
 * leaves it when that attribute is removed. Items are spread over shards, so no partition becomes hot. Pure.
 */

import { shardOf } from "../terms/keys.ts";
import type { SortedIndex } from "../terms/tables.ts";

/** One of shared/terms/tables.ts, with its shards. */
export type ShardedIndex = SortedIndex & {
  /** All values of the index's partition key. */
  shards: readonly string[];
  /** The value for an item, by a text that stays the same for the item. */
  shardOf(text: string): string;
};

/** @param shards.prefix stands before the shard's number, as in `active#0`. */
export const defineShardedIndex = (
  index: SortedIndex,
  { count, prefix = "" }: { count: number; prefix?: string },
): ShardedIndex => ({
  ...index,
  shards: Array.from({ length: count }, (_, shard) => prefix + shard),
  shardOf: (text) => prefix + shardOf(text, count),
});
