import { definedFields } from "../json/defined-fields.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import type { Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { queryFilteredPage, queryPages } from "../runtime/table-query.ts";
import { organizationKey } from "../terms/keys.ts";
import type { RecordType } from "./record.ts";
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
import { amountFieldOf, type RecordPosition, type RecordQuery, requireFields } from "./record-query.ts";
import type { SyncedRecord } from "./synced-record.ts";

type Filters = Omit<RecordQuery, "id" | "ids" | "customerId" | "paymentId">;
type Page = { limit: number; after: RecordPosition | undefined };
type PageOfRecords = { items: SyncedRecord[]; next: RecordPosition | undefined };

const OVERDUE = "(#fields.#status = :open AND #fields.#dueAt < :now)";

const queryOf = (type: RecordType, { index, keyValue }: ListPartition, filters: Filters, now: number) => {
  const { status, minAmount, maxAmount, overdue, updatedSince } = filters;
  const amount = `#fields.#${amountFieldOf(type)}`;
  const conditions = [
    ...(status === undefined ? [] : ["#fields.#status = :status"]),
    ...(minAmount === undefined ? [] : [`${amount} >= :minAmount`]),
    ...(maxAmount === undefined ? [] : [`${amount} <= :maxAmount`]),
    ...(overdue === undefined ? [] : [overdue ? OVERDUE : `NOT ${OVERDUE}`]),
    ...(updatedSince === undefined ? [] : ["#updatedAt >= :updatedSince"]),
  ];
  const values = { key: keyValue, status, minAmount, maxAmount, updatedSince };
  return {
    index,
    where: `#${index.partitionKey} = :key`,
    filter: conditions.join(" AND "),
    values: { ...definedFields(values), ...(overdue !== undefined && { open: "open", now }) },
    isDescending: true,
  };
};

/** The same conditions for a record that is read by its key. */
const matches = (record: SyncedRecord, query: RecordQuery, now: number): boolean => {
  const { ids, customerId, paymentId, status, minAmount, maxAmount, overdue, updatedSince = 0 } = query;
  const { id, type, updatedAt } = record;
  const fields: Readonly<Record<string, unknown>> = record;
  const customer = type === "customers" ? id : fields.customerId;
  const amount = fields[amountFieldOf(type) ?? ""];
  const hasAmount = typeof amount === "number";
  const isOverdue = fields.status === "open" && typeof fields.dueAt === "number" && fields.dueAt < now;
  return (
    (ids === undefined || ids.includes(id)) &&
    (customerId === undefined || customerId === customer) &&
    (paymentId === undefined || paymentId === fields.paymentId) &&
    (status === undefined || status === fields.status) &&
    (minAmount === undefined || (hasAmount && amount >= minAmount)) &&
    (maxAmount === undefined || (hasAmount && amount <= maxAmount)) &&
    (overdue === undefined || overdue === isOverdue) &&
    updatedAt >= updatedSince
  );
};

/** Whether a record comes after a position of a list, which is newest first. Ids are compared by their UTF-8, as keys are. */
const isOlder = (one: RecordPosition, other: RecordPosition): boolean =>
  one.createdAt === other.createdAt
    ? Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)) < 0
    : one.createdAt < other.createdAt;

export type RecordListStore = ReturnType<typeof createRecordListStore>;

/** Lists of records. Keys and indexes: record-item.ts. All calls throw DomainError `store_unavailable`. */
export const createRecordListStore = (table: Table<"records">, clock: Clock = systemClock) => {
  /** A list of a few records, which are read by their keys: half a read unit per 4 KB of each. */
  const listFew = async (
    organizationId: string,
    keys: readonly RecordKey[],
    query: RecordQuery,
    { limit, after }: Page,
  ): Promise<PageOfRecords> => {
    const storable = keys.filter(isStorable).map((key) => itemKeyOf(organizationId, key));
    const stored = await getItems(table, storable);
    const found = stored.items
      .map(toSyncedRecord)
      .filter((record) => matches(record, query, clock()) && (after === undefined || isOlder(record, after)))
      .sort((one, other) => (isOlder(one, other) ? 1 : -1));
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, next: last && { createdAt: last.createdAt, id: last.id } };
  };

  return {
    /**
     * Records of a type, by `createdAt`, newest first. Half a read unit per 4 KB of items read; may lag by a second. With
     * filters a page may be short though more pages follow.
     * @throws DomainError `invalid_field` for a filter whose field the type lacks.
     */
    async list(
      organizationId: string,
      type: RecordType,
      query: RecordQuery,
      { limit, after }: Page,
    ): Promise<PageOfRecords> {
      requireFields(type, query);
      const { id, ids, ...filters } = query;
      const only = id ?? (type === "customers" ? filters.customerId : undefined);
      const few = only === undefined ? ids : [only];
      if (few !== undefined) {
        return listFew(
          organizationId,
          few.map((one) => ({ type, id: one })),
          query,
          { limit, after },
        );
      }
      const partition = listPartition(organizationId, type, filters.customerId ?? filters.paymentId);
      const position = after && startKeyOf(organizationId, type, partition, after);
      const { items, last } = await queryFilteredPage(
        table,
        { ...queryOf(type, partition, filters, clock()), after: position },
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
