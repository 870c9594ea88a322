import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore, isTransactionConflict } from "../runtime/call-store.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { deleteItems } from "../runtime/delete-items.ts";
import { getItems } from "../runtime/get-items.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { renderUpdate } from "../runtime/render-update.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { hashOfAlertId, resolvedKey, unresolvedKey } from "../security/alerts/alert-item.ts";
import { timeOfEventId } from "../security/event-id.ts";
import { organizationKey } from "../terms/keys.ts";
import type { HoldsEventsOf } from "./alert-locations.ts";
import type { Item, ItemUpdate, Partition } from "./location.ts";
import type { FindAlerts } from "./notification-locations.ts";

/** Items per page. Erasing a page takes seconds; the lease lasts longer. */
const PAGE_ITEMS = 1_000;
const UPDATES_AT_ONCE = 16;
/** Attempts of an update while transactions hold its item. */
const UPDATE_ATTEMPTS = 4;

/** The sort key of each table that an erasure sweeps; the partition key is `scope`. */
const SORT_KEYS = {
  ...{ records: "key", webhookEvents: "id", runs: "key", alerts: "key", detection: "key" },
  ...{ reports: "key", events: "id", rollups: "period", erasures: "key", notifications: "key", exports: "key" },
} as const;

type TableKey = keyof typeof SORT_KEYS;
export type PartitionTables = Readonly<Record<TableKey, string>>;

/** One organization's partitions. */
export type Partitions = Readonly<Record<TableKey, Partition>>;

const createPartition = (
  client: DynamoDBDocumentClient,
  { tableName, sortKey, scope }: { tableName: string; sortKey: string; scope: string },
): Partition => {
  const update = async (key: string, { remove, set }: ItemUpdate, readItem: Item | undefined): Promise<void> => {
    const guarded = readItem === undefined ? [] : [...remove, ...Object.keys(set)];
    const { ExpressionAttributeValues: values, ...rest } = renderUpdate({
      set: { ...set },
      remove,
      condition: [`attribute_exists(#${sortKey})`, ...guarded.map((name) => `#${name} = :read_${name}`)].join(" AND "),
      values: Object.fromEntries(guarded.map((name) => [`read_${name}`, readItem?.[name]])),
    });
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope, [sortKey]: key },
      ...rest,
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    });
    // If the item was deleted or has changed since it was read, the next pass reads it again. It also reads an item that
    // transactions keep holding, and then counts it once more.
    for (let attempts = 0; attempts < UPDATE_ATTEMPTS; attempts++) {
      try {
        await conditionalWrite((options) => client.send(command, options));
        return;
      } catch (error) {
        if (!isTransactionConflict(error)) throw error;
        await pauseBeforeRetry(attempts);
      }
    }
  };

  return {
    async read(after, { prefix, attributes, filter } = {}) {
      const projected = attributes && [...new Set([sortKey, ...attributes])];
      const names = [
        ...["scope", ...(prefix === undefined ? [] : [sortKey]), ...(projected ?? [])],
        ...(filter?.condition.match(/(?<=#)\w+/g) ?? []),
      ];
      const command = new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: `#scope = :scope${prefix === undefined ? "" : ` AND begins_with(#${sortKey}, :prefix)`}`,
        ...(projected && { ProjectionExpression: projected.map((name) => `#${name}`).join(", ") }),
        ...(filter && { FilterExpression: filter.condition }),
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ":scope": scope,
          ...(prefix !== undefined && { ":prefix": prefix }),
          ...Object.fromEntries(Object.entries(filter?.values ?? {}).map(([name, value]) => [`:${name}`, value])),
        },
        ...(after !== undefined && { ExclusiveStartKey: { scope, [sortKey]: after } }),
        Limit: PAGE_ITEMS,
        ConsistentRead: true,
      });
      const { Items = [], LastEvaluatedKey } = await callStore((options) => client.send(command, options));
      return {
        items: Items.map((item) => ({ ...item, sortKey: z.string().parse(item[sortKey]) })),
        next: LastEvaluatedKey && z.string().parse(LastEvaluatedKey[sortKey]),
      };
    },

    async apply(changes, readItems) {
      const deleted = changes.filter(({ change }) => change === "delete");
      await deleteItems(
        client,
        tableName,
        deleted.map(({ key }) => ({ scope, [sortKey]: key })),
      );
      await inParallel(changes, UPDATES_AT_ONCE, async ({ key, change }) => {
        if (change !== "delete") await update(key, change, readItems?.get(key));
      });
    },
  };
};

/** The returned function returns the partitions of an organization. */
export const createPartitions =
  (client: DynamoDBDocumentClient, tables: PartitionTables) =>
  (organizationId: string): Partitions => {
    const scope = organizationKey(organizationId);
    const tableKeys = Object.keys(SORT_KEYS) as TableKey[];
    const partition = (table: TableKey) =>
      createPartition(client, { tableName: tables[table], sortKey: SORT_KEYS[table], scope });
    return Object.fromEntries(tableKeys.map((table) => [table, partition(table)] as const)) as Partitions;
  };

/**
 * The returned function reads some events of an organization: a read unit per event. It throws DomainError
 * `store_unavailable`.
 */
export const createHoldsEventsOf =
  (client: DynamoDBDocumentClient, eventTable: string) =>
  (organizationId: string): HoldsEventsOf =>
  async (eventIds, { userId, erasureId }) => {
    const scope = organizationKey(organizationId);
    const keys = [...new Set(eventIds)].filter((id) => timeOfEventId(id) !== undefined).map((id) => ({ scope, id }));
    const { items } = await getItems(client, eventTable, keys, {
      ConsistentRead: true,
      ProjectionExpression: "#userId, #erasure",
      ExpressionAttributeNames: { "#userId": "userId", "#erasure": "erasure" },
    });
    return items.some((item) => item.userId === userId || item.erasure === erasureId);
  };

/**
 * The returned function says which of some alerts of an organization are stored: one or two read units per alert. It
 * throws DomainError `store_unavailable`.
 */
export const createFindAlerts =
  (client: DynamoDBDocumentClient, alertTable: string) =>
  (organizationId: string): FindAlerts =>
  async (alertIds) => {
    const scope = organizationKey(organizationId);
    const read = async (keys: readonly string[]): Promise<string[]> => {
      const { items } = await getItems(
        client,
        alertTable,
        keys.map((key) => ({ scope, key })),
        { ConsistentRead: true, ProjectionExpression: "#id", ExpressionAttributeNames: { "#id": "id" } },
      );
      return items.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
    };
    const hashes = new Set(alertIds.flatMap((id) => hashOfAlertId(id) ?? []));
    const found = new Set(await read([...hashes].map(unresolvedKey)));
    // In this order: an alert that is resolved in between is found by the second read.
    const missing = alertIds.filter((id) => !found.has(id));
    return new Set([...found, ...(await read([...new Set(missing)].map(resolvedKey)))]);
  };
