/** Places that are partitions of tables, whatever lies in them. */
import type { Removed } from "./erasure.ts";
import type { Change, Partition, ReadOptions } from "./partition-store.ts";
import type { Place } from "./place.ts";

type Named = { name: string; counts: keyof Removed };
type Read = Pick<ReadOptions, "prefix" | "filter" | "attributes">;
type Item = Readonly<Record<string, unknown>> & { sortKey: string };

/** A partition of which every item goes, or every one whose key begins with a prefix. */
export const deletedPlace = (named: Named, partition: Partition, prefix?: string): Place => ({
  ...named,
  read: async (after) => {
    const { items, next } = await partition.read(after, { attributes: [], ...(prefix !== undefined && { prefix }) });
    const keys = items.map(({ sortKey }) => sortKey);
    return { keys, next, remove: () => partition.apply(keys.map((key) => ({ key, fate: "delete" }))) };
  },
});

/**
 * A partition whose items each have a fate, or none.
 * @param judge what becomes of an item; undefined where it stays as it is.
 * @param options.isGuarded a change counts on what was read: made by others since, the next round looks again.
 */
export const judgedPlace = (
  named: Named,
  partition: Partition,
  judge: (items: readonly Item[]) => Promise<readonly (Change["fate"] | undefined)[]>,
  { isGuarded = false, ...options }: Read & { isGuarded?: boolean } = {},
): Place => ({
  ...named,
  read: async (after) => {
    const { items, next } = await partition.read(after, options);
    const fates = await judge(items);
    const changes = items.flatMap(({ sortKey: key }, i): Change[] => {
      const fate = fates[i];
      return fate === undefined ? [] : [{ key, fate }];
    });
    const seen = isGuarded ? new Map(items.map((item) => [item.sortKey, item])) : undefined;
    return { keys: changes.map(({ key }) => key), next, remove: () => partition.apply(changes, seen) };
  },
});
