import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { definedFields } from "../json/defined-fields.ts";
import { callStore } from "../runtime/call-store.ts";
import { queryFilteredPage } from "../runtime/query-page.ts";
import { readPages } from "../runtime/read-pages.ts";
import { organizationKey } from "../terms/keys.ts";
import { type RecordType, recordFields, type SyncedRecord } from "./record.ts";
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

type Filters = Pick<RecordQuery, "status" | "updatedSince">;
type PageOfRecords = { items: SyncedRecord[]; next: RecordPosition | undefined };

const NOTHING: PageOfRecords = { items: [], next: undefined };

const queryOf = (TableName: string, { index, keyValue }: ListPartition, { status, updatedSince }: Filters) => {
  const conditions = [
    ...(status === undefined ? [] : ["#fields.#status = :status"]),
    ...(updatedSince === undefined ? [] : ["#updatedAt >= :updatedSince"]),
  ];
  return {
    ...{ TableName, IndexName: index.name, ScanIndexForward: false },
    KeyConditionExpression: "#key = :key",
    ...(conditions.length > 0 && { FilterExpression: conditions.join(" AND ") }),
    ExpressionAttributeNames: {
      "#key": index.partitionKey,
      ...(status !== undefined && { "#fields": "fields", "#status": "status" }),
      ...(updatedSince !== undefined && { "#updatedAt": "updatedAt" }),
    },
    ExpressionAttributeValues: definedFields({ ":key": keyValue, ":status": status, ":updatedSince": updatedSince }),
  };
};

const matches = (record: SyncedRecord, { customerId, status, updatedSince = 0 }: Omit<RecordQuery, "id">): boolean => {
  const owner = "customerId" in record ? record.customerId : record.id;
  const word = "status" in record ? record.status : undefined;
  return (customerId ?? owner) === owner && (status ?? word) === word && record.updatedAt >= updatedSince;
};

export type RecordListStore = ReturnType<typeof createRecordListStore>;

/** Lists of records. Keys and indexes: record-item.ts. All calls throw DomainError `store_unavailable`. */
export const createRecordListStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** A list with at most one record: half a read unit per 4 KB. */
  const listOne = async (organizationId: string, key: RecordKey, filters: Omit<RecordQuery, "id">) => {
    if (!isStorable(key)) return NOTHING;
    const command = new GetCommand({ TableName: tableName, Key: itemKeyOf(organizationId, key) });
    const { Item } = await callStore((options) => client.send(command, options));
    if (Item === undefined) return NOTHING;
    const record = toSyncedRecord(Item);
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
      const query = {
        ...queryOf(tableName, partition, filters),
        ...(after && { ExclusiveStartKey: startKeyOf(organizationId, type, partition, after) }),
      };
      const { items, last } = await queryFilteredPage(client, query, limit);
      return { items: items.map(toSyncedRecord), next: last && positionOf(last) };
    },

    /**
     * The ids of all records of a type, deleted ones too, in ascending order of their UTF-8, read strongly: one read
     * unit per 4 KB of records.
     */
    async *listIds(organizationId: string, type: RecordType): AsyncGenerator<ListedId, void, void> {
      const pages = readPages(client, {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :prefix)",
        ProjectionExpression: LISTED_ATTRIBUTES.map((name) => `#${name}`).join(),
        ExpressionAttributeNames: {
          "#scope": "scope",
          ...Object.fromEntries(LISTED_ATTRIBUTES.map((name) => [`#${name}`, name])),
        },
        ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":prefix": typePrefix(type) },
        ConsistentRead: true,
      });
      for await (const page of pages) yield* page.map(fromListedItem);
    },
  };
};
