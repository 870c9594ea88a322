/**
 * Data locations: where an organization's data is stored. An erasure sweeps one location after the other, page by page
 * (shared/erasure/passes.ts). docs/erasure.md, "Passes".
 */
import { definedFields } from "../json/defined-fields.ts";

export type Item = Readonly<Record<string, unknown>>;
export type StoredItem = Item & { sortKey: string };

/** The attributes to remove from an item, and the new values of others. */
export type ItemUpdate = { remove: readonly string[]; set: Item };

/** The change of the item with a sort key. */
export type ItemChange = { key: string; change: "delete" | ItemUpdate };

/** Replaces a text that mentions an erased user, where an item must have a text. */
export const ERASED_TEXT = "[erased]";

/** Replaces an erased author or requester. */
export const NO_AUTHOR = "";

export type ReadOptions = {
  /** Reads only keys with this prefix. */
  prefix?: string;
  /** The attributes to read in addition to the sort key; default: all. */
  attributes?: readonly string[];
  /** A condition on items with its values. In the condition, `#` precedes each attribute's name. */
  filter?: { condition: string; values: Item };
};

/** One organization's partition of a table. Both calls throw DomainError `store_unavailable`. */
export type Partition = {
  /** Reads a page of items after a sort key, strongly consistent: a read unit per 4 KB before the filter. */
  read(after: string | undefined, options?: ReadOptions): Promise<{ items: StoredItem[]; next: string | undefined }>;
  /**
   * Deletes items, and updates those that still exist: a write unit per KB each, and the same per index of the item.
   * @param readItems if given, an update is skipped if its attributes have changed since they were read.
   */
  apply(changes: readonly ItemChange[], readItems?: ReadonlyMap<string, Item>): Promise<void>;
};

export type LocationPage = {
  /** The keys of what must be erased, ascending by their UTF-8 bytes. */
  keys: readonly string[];
  /** The key after which the next page starts; undefined on the last page. */
  next: string | undefined;
  /** Erases what `keys` name; idempotent. */
  erase(): Promise<void>;
};

/** The numbers in `removed` of an erasure's answer. Each location counts what it erases in one of them. */
export type RemovedCounter = "records" | "webhookEvents" | "events" | "alerts" | "reports" | "detections" | "other";

export type DataLocation = {
  /** Unique; stored while the location is swept. */
  name: string;
  /** The number of `removed` that counts the keys. */
  counter: RemovedCounter;
  /** Reads strongly consistent. */
  read(after: string | undefined): Promise<LocationPage>;
  /** When the data of a key was created, epoch ms. Without a time, it counts as older than the erasure. */
  createdAt?(key: string): number | undefined;
};

/** Which authors of changes are erased: by their id, and where a reason mentions them. */
export type ErasedAuthors = { isErased(userId: string): boolean; mentions(text: string): boolean };

/** The change of an item; undefined keeps the item as it is. */
export type Decision = ItemChange["change"] | undefined;

/** The changes of the items for which `decide` returns one. */
export const changesOf = <Read extends StoredItem>(
  items: readonly Read[],
  decide: (item: Read, position: number) => Decision,
): ItemChange[] =>
  items.flatMap((item, position) => {
    const change = decide(item, position);
    return change === undefined ? [] : [{ key: item.sortKey, change }];
  });

/** All pages of a partition. */
export async function* pagesOf(
  partition: Pick<Partition, "read">,
  options?: ReadOptions,
): AsyncGenerator<StoredItem[], void, void> {
  let after: string | undefined;
  do {
    const { items, next } = await partition.read(after, options);
    yield items;
    after = next;
  } while (after !== undefined);
}

/** Deletes all items whose key has a prefix. */
export const deleteWithPrefix = async (partition: Partition, prefix: string): Promise<void> => {
  for await (const items of pagesOf(partition, { prefix, attributes: [] })) {
    await partition.apply(changesOf(items, () => "delete"));
  }
};

type Identity = Pick<DataLocation, "name" | "counter">;

/**
 * A location with at most one thing to erase.
 * @param find resolves to the function that erases it; undefined if there is nothing to erase.
 */
export const singleLocation = (name: string, find: () => Promise<(() => Promise<void>) | undefined>): DataLocation => ({
  name,
  counter: "other",
  read: async () => {
    const erase = await find();
    return { keys: erase === undefined ? [] : [name], next: undefined, erase: erase ?? (async () => undefined) };
  },
});

/** A partition whose items are all deleted, or all those whose key has a prefix. */
export const deletedLocation = (identity: Identity, partition: Partition, prefix?: string): DataLocation => ({
  ...identity,
  read: async (after) => {
    const { items, next } = await partition.read(after, { attributes: [], ...definedFields({ prefix }) });
    const changes = changesOf(items, () => "delete");
    return { keys: changes.map(({ key }) => key), next, erase: () => partition.apply(changes) };
  },
});

/**
 * A partition whose items are deleted, updated or kept.
 * @param decide returns a decision for each item, in their order.
 * @param options.isGuarded skips items that have changed since they were read; the next pass reads them again.
 */
export const partitionLocation = (
  identity: Identity,
  partition: Partition,
  decide: (items: readonly StoredItem[]) => Promise<readonly Decision[]> | readonly Decision[],
  { isGuarded = false, ...options }: ReadOptions & { isGuarded?: boolean } = {},
): DataLocation => ({
  ...identity,
  read: async (after) => {
    const { items, next } = await partition.read(after, options);
    const decisions = await decide(items);
    const changes = changesOf(items, (_, i) => decisions[i]);
    const readItems = isGuarded ? new Map(items.map((item) => [item.sortKey, item])) : undefined;
    return { keys: changes.map(({ key }) => key), next, erase: () => partition.apply(changes, readItems) };
  },
});
