/**
 * A sparse index over items that wait for work: an item is in the index while it has the index's partition key, and
 * leaves it when that attribute is removed. Items are spread over shards, so no partition becomes hot. Pure.
 */
import { shardOf } from "../terms/shard-of.ts";

export type ShardedIndex = {
  name: string;
  /** The attribute that is the index's partition key. */
  attribute: string;
  /** All values of that attribute. */
  shards: readonly string[];
  /** The value for an item, by a text that stays the same for the item. */
  shardOf(text: string): string;
};

/** @param index.prefix stands before the shard's number, as in `active#0`. */
export const defineShardedIndex = ({
  name,
  attribute,
  count,
  prefix = "",
}: {
  name: string;
  attribute: string;
  count: number;
  prefix?: string;
}): ShardedIndex => ({
  name,
  attribute,
  shards: Array.from({ length: count }, (_, shard) => prefix + shard),
  shardOf: (text) => prefix + shardOf(text, count),
});
