import * as z from "zod/mini";
import type { Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { queryOnce } from "../runtime/table-query.ts";
import { organizationKey } from "../terms/keys.ts";
import { CUSTOMERS_BY_EMAIL, CUSTOMERS_BY_NAME } from "../terms/tables.ts";
import { itemKeyOf, parseSortKey, toSyncedRecord } from "./record-item.ts";
import { searchKeyOf } from "./search-key.ts";
import type { SyncedRecord } from "./synced-record.ts";

const Entry = z.object({ key: z.string() });

export type CustomerSearchStore = ReturnType<typeof createCustomerSearchStore>;

/** Finds customers by the beginning of a name or of an e-mail address. Throws DomainError `store_unavailable`. */
export const createCustomerSearchStore = (table: Table<"records">) => ({
  /**
   * Customers whose name or e-mail address begins with a text, in any case: those by name first, each in the order of the
   * key. Two queries of at most `limit` entries, half a read unit per 8 KB, and half a read unit per customer. May lag by a
   * second.
   */
  async find(organizationId: string, beginning: string, limit: number): Promise<SyncedRecord[]> {
    const prefix = searchKeyOf(beginning);
    if (prefix === undefined) return [];
    const pages = await Promise.all(
      [CUSTOMERS_BY_NAME, CUSTOMERS_BY_EMAIL].map((index) =>
        queryOnce(
          table,
          {
            index,
            where: `#scope = :scope AND begins_with(#${index.sortKey}, :prefix)`,
            values: { scope: organizationKey(organizationId), prefix },
          },
          { limit },
        ),
      ),
    );
    const keys = pages.flatMap(({ items }) => items.map((item) => Entry.parse(item).key));
    const ids = [...new Set(keys)].slice(0, limit).map((key) => parseSortKey(key).id);
    const { items } = await getItems(
      table,
      ids.map((id) => itemKeyOf(organizationId, { type: "customers", id })),
    );
    const found = new Map(items.map(toSyncedRecord).map((record) => [record.id, record]));
    // A customer that was deleted since has no name any more.
    return ids.flatMap((id) => found.get(id) ?? []).filter(({ deleted }) => !deleted);
  },
});
