import { type ReplaceItem, replaceSingly } from "../runtime/replace-item.ts";
import { getItem, type Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { fromItem, itemKeyOf, type RecordKey, type StoredRecord, toItem } from "./record-item.ts";

export type RecordStore = ReturnType<typeof createRecordStore>;

/** The attribute that changes with every write of a record. */
export const RECORD_VERSION = "version";

/**
 * The records of each organization by their keys; record-list-store.ts lists them. Items: record-item.ts. All calls throw
 * DomainError `store_unavailable`.
 * @param replace writes records singly by default; runtime/replace-batches.ts writes many at once.
 */
export const createRecordStore = (
  table: Table<"records">,
  replace: ReplaceItem<"records"> = replaceSingly(table, RECORD_VERSION),
) => ({
  /** A record, read strongly: one read unit up to 4 KB. */
  async get(organizationId: string, key: RecordKey): Promise<StoredRecord | undefined> {
    const item = await getItem(table, itemKeyOf(organizationId, key));
    return item && fromItem(item);
  },

  /**
   * The records that exist, in any order: half a read unit for each key up to 4 KB; strongly, one.
   * @param keys each once.
   */
  async getMany(
    organizationId: string,
    keys: readonly RecordKey[],
    { strongly }: { strongly: boolean },
  ): Promise<StoredRecord[]> {
    const itemKeys = keys.map((key) => itemKeyOf(organizationId, key));
    const { items } = await getItems(table, itemKeys, { isConsistent: strongly });
    return items.map(fromItem);
  },

  /**
   * Writes a record if it has not changed since it was read: a write unit per KB, and one for each of its indexes.
   * @param previous the record that was read; undefined if there was none.
   * @returns whether the record was written; false if another write came first.
   */
  put(organizationId: string, record: StoredRecord, previous: StoredRecord | undefined): Promise<boolean> {
    return replace({
      key: itemKeyOf(organizationId, record),
      item: toItem(organizationId, record),
      previous: previous && toItem(organizationId, previous),
    });
  },
});
