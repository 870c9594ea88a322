/**
 * Work that an organization's users request, such as an erasure. Its item is in the organization's partition, under a
 * prefix and an id that grows with time. While there is work to do, the item is in a sparse index.
 */

import * as z from "zod/mini";
import { getItem, type Table, updateItem } from "../runtime/table.ts";
import { queryPage } from "../runtime/table-query.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import type { ScopeKeyTable } from "../terms/tables.ts";
import type { ShardedIndex } from "./sharded-index.ts";
import { readIndex } from "./sharded-index-store.ts";

export type RequestedWork<Stored> = {
  /** Of the sort keys, before the id. */
  prefix: string;
  keyOf: (organizationId: string, id: string) => { scope: string; key: string };
  open: ShardedIndex;
  /** @throws ZodError if the item is not one of these, which is a bug. */
  parse: (item: unknown) => Stored;
};

/** After the item with this id. */
export type ListPosition = { id: string };

const IndexEntry = z.object({ scope: z.string(), key: z.string() });

/** All calls throw DomainError `store_unavailable`. */
export const createRequestedWorkStore = <Stored extends { id: string }>(
  table: Table<ScopeKeyTable>,
  { prefix, keyOf, open, parse }: RequestedWork<Stored>,
) => ({
  /** Reads strongly consistent: a read unit per 4 KB. */
  async find(organizationId: string, id: string): Promise<Stored | undefined> {
    const item = await getItem(table, keyOf(organizationId, id));
    return item && parse(item);
  },

  /** Removes a request's origin after its event was recorded. A write unit per KB, and one for the index. */
  async forgetOrigin(organizationId: string, id: string): Promise<void> {
    await updateItem(table, keyOf(organizationId, id), { remove: ["origin"], condition: "attribute_exists(#origin)" });
  },

  /** A page, the latest request first, read strongly consistent: a read unit per 4 KB. */
  async list(
    organizationId: string,
    { limit, after }: { limit: number; after: ListPosition | undefined },
  ): Promise<{ items: Stored[]; next: ListPosition | undefined }> {
    const query = {
      where: "#scope = :scope AND begins_with(#key, :prefix)",
      values: { scope: organizationKey(organizationId), prefix },
      after: after && keyOf(organizationId, after.id),
      isDescending: true,
      isConsistent: true,
    };
    const { items, hasMore } = await queryPage(table, query, limit);
    const page = items.map(parse);
    const last = page.at(-1);
    return { items: page, next: hasMore && last !== undefined ? { id: last.id } : undefined };
  },

  /** The open items, by shard; may lag by a second. Half a read unit per shard and 4 KB. */
  async *listOpen(): AsyncGenerator<{ organizationId: string; id: string }, void, void> {
    for await (const item of readIndex(table, open)) {
      const { scope, key } = IndexEntry.parse(item);
      yield { organizationId: organizationIdOf(scope), id: key.slice(prefix.length) };
    }
  },
});
