import { definedFields } from "../json/defined-fields.ts";
import { getItem, type Table } from "../runtime/table.ts";
import { queryFilteredPage, queryPages } from "../runtime/table-query.ts";
import { organizationKey } from "../terms/keys.ts";
import { type RecordType, recordFields } from "./record.ts";
import {
  fromListedItem,
  isStorable,
  itemKeyOf,
  LISTED_ATTRIBUTES,
  type ListedId,
  type ListPartition,
  listPartition,
  positionOf,
  type RecordKey,
  startKeyOf,
  toSyncedRecord,
  typePrefix,
} from "./record-item.ts";
import type { RecordPosition, RecordQuery } from "./record-query.ts";
import type { SyncedRecord } from "./synced-record.ts";

type Filters = Pick<RecordQuery, "status" | "updatedSince">;
type PageOfRecords = { items: SyncedRecord[]; next: RecordPosition | undefined };

const NOTHING: PageOfRecords = { items: [], next: undefined };

const queryOf = ({ index, keyValue }: ListPartition, { status, updatedSince }: Filters) => {
  const conditions = [
    ...(status === undefined ? [] : ["#fields.#status = :status"]),
    ...(updatedSince === undefined ? [] : ["#updatedAt >= :updatedSince"]),
  ];
  return {
    index,
    where: `#${index.partitionKey} = :key`,
    filter: conditions.join(" AND "),
    values: definedFields({ key: keyValue, status, updatedSince }),
    isDescending: true,
  };
};

const matches = (record: SyncedRecord, { customerId, status, updatedSince = 0 }: Omit<RecordQuery, "id">): boolean => {
  const owner = "customerId" in record ? record.customerId : record.id;
  const word = "status" in record ? record.status : undefined;
  return (customerId ?? owner) === owner && (status ?? word) === word && record.updatedAt >= updatedSince;
};

export type RecordListStore = ReturnType<typeof createRecordListStore>;

/** Lists of records. Keys and indexes: record-item.ts. All calls throw DomainError `store_unavailable`. */
export const createRecordListStore = (table: Table<"records">) => {
  /** A list with at most one record: half a read unit per 4 KB. */
  const listOne = async (organizationId: string, key: RecordKey, filters: Omit<RecordQuery, "id">) => {
    if (!isStorable(key)) return NOTHING;
    const item = await getItem(table, itemKeyOf(organizationId, key), { isConsistent: false });
    if (item === undefined) return NOTHING;
    const record = toSyncedRecord(item);
    return matches(record, filters) ? { items: [record], next: undefined } : NOTHING;
  };

  return {
    /**
     * Records of a type, by `createdAt`, newest first. Half a read unit per 4 KB of items read; may lag by a second. With
     * filters a page may be short though more pages follow.
     */
    async list(
      organizationId: string,
      type: RecordType,
      { id, customerId, ...filters }: RecordQuery,
      { limit, after }: { limit: number; after: RecordPosition | undefined },
    ): Promise<PageOfRecords> {
      if (filters.status !== undefined && !("status" in recordFields[type].shape)) return NOTHING;
      const only = id ?? (type === "customers" ? customerId : undefined);
      if (only !== undefined) {
        return after === undefined ? listOne(organizationId, { type, id: only }, { customerId, ...filters }) : NOTHING;
      }
      const partition = listPartition(organizationId, type, customerId);
      const position = after && startKeyOf(organizationId, type, partition, after);
      const { items, last } = await queryFilteredPage(
        table,
        { ...queryOf(partition, filters), after: position },
        limit,
      );
      return { items: items.map(toSyncedRecord), next: last && positionOf(last) };
    },

    /**
     * The ids of all records of a type, deleted ones too, in ascending order of their UTF-8, read strongly: one read
     * unit per 4 KB of records.
     * @param range only the ids after `after`, up to and including `upTo`.
     */
    async *listIds(
      organizationId: string,
      type: RecordType,
      { after, upTo }: { after?: string | undefined; upTo?: string | undefined } = {},
    ): AsyncGenerator<ListedId, void, void> {
      const prefix = typePrefix(type);
      const inRange = upTo === undefined ? "begins_with(#key, :prefix)" : "#key BETWEEN :prefix AND :last";
      const pages = queryPages(table, {
        where: `#scope = :scope AND ${inRange}`,
        values: { scope: organizationKey(organizationId), prefix, ...(upTo !== undefined && { last: prefix + upTo }) },
        after: after === undefined ? undefined : itemKeyOf(organizationId, { type, id: after }),
        attributes: LISTED_ATTRIBUTES,
        isConsistent: true,
      });
      for await (const page of pages) yield* page.map(fromListedItem);
    },
  };
};
