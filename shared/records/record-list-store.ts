import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { queryFilteredPage } from "../runtime/query-filtered-page.ts";
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
  startKeyOf,
  toSyncedRecord,
  typePrefix,
} from "./record-item.ts";
import type { RecordPosition, RecordQuery } from "./record-query.ts";

type Filters = Pick<RecordQuery, "status" | "updatedSince">;
type PageOfRecords = { items: SyncedRecord[]; next: RecordPosition | undefined };

const NOTHING: PageOfRecords = { items: [], next: undefined };

const filterOf = ({ status, updatedSince }: Filters) => {
  const conditions = [
    ...(status === undefined ? [] : ["#fields.#status = :status"]),
    ...(updatedSince === undefined ? [] : ["#updatedAt >= :updatedSince"]),
  ];
  return {
    ...(conditions.length > 0 && { FilterExpression: conditions.join(" AND ") }),
    names: {
      ...(status !== undefined && { "#fields": "fields", "#status": "status" }),
      ...(updatedSince !== undefined && { "#updatedAt": "updatedAt" }),
    },
    values: {
      ...(status !== undefined && { ":status": status }),
      ...(updatedSince !== undefined && { ":updatedSince": updatedSince }),
    },
  };
};

const queryOf = (tableName: string, { index, keyValue }: ListPartition, filters: Filters) => {
  const { names, values, ...filter } = filterOf(filters);
  return {
    TableName: tableName,
    IndexName: index.name,
    KeyConditionExpression: "#key = :key",
    ...filter,
    ExpressionAttributeNames: { "#key": index.partitionKey, ...names },
    ExpressionAttributeValues: { ":key": keyValue, ...values },
    ScanIndexForward: false,
  };
};

export type RecordListStore = ReturnType<typeof createRecordListStore>;

/** Lists of records. Keys and indexes: record-item.ts. Calls throw DomainError `store_unavailable`. */
export const createRecordListStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** A customer, as the list of one that it is. */
  const listCustomer = async (organizationId: string, id: string, { updatedSince = 0 }: Filters) => {
    const key = { type: "customers", id } as const;
    if (!isStorable(key)) return NOTHING;
    const command = new GetCommand({ TableName: tableName, Key: itemKeyOf(organizationId, key) });
    const { Item } = await callStore((options) => client.send(command, options));
    if (Item === undefined) return NOTHING;
    const record = toSyncedRecord(Item);
    return record.updatedAt >= updatedSince ? { items: [record], next: undefined } : NOTHING;
  };

  return {
    /**
     * Records of a type, the newest at the provider first. Half a read unit per 4 KB of items that are looked at; may
     * lag by a second. Filters may make a page short, with more to come.
     */
    async list(
      organizationId: string,
      type: RecordType,
      { customerId, ...filters }: RecordQuery,
      { limit, after }: { limit: number; after: RecordPosition | undefined },
    ): Promise<PageOfRecords> {
      if (filters.status !== undefined && !("status" in recordFields[type].shape)) return NOTHING;
      if (type === "customers" && customerId !== undefined) {
        return after === undefined ? listCustomer(organizationId, customerId, filters) : NOTHING;
      }
      const partition = listPartition(organizationId, type, customerId);
      if (partition === undefined) return NOTHING;
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
