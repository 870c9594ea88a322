import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { conditionalWrite, transactWithRetry } from "../runtime/conditional-write.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { getItem } from "../runtime/get-item.ts";
import { queryPage } from "../runtime/query-page.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import {
  EXPORT_KEPT_MS,
  type Export,
  type ExportFilter,
  type ExportFormat,
  type ExportKind,
  MAX_RUNNING,
} from "./export.ts";
import {
  EXPORTS_END,
  EXPORTS_START,
  type ExportOrigin,
  exportIdOf,
  exportKey,
  openExports,
  parseExport,
  runningKey,
  type StoredExport,
  toExport,
} from "./export-item.ts";

const IndexEntry = z.object({ scope: z.string(), key: z.string() });

/** A request to store. `requestedAt` in epoch ms. */
export type NewExport = {
  id: string;
  kind: ExportKind;
  format?: ExportFormat;
  filter?: ExportFilter;
  requestedAt: number;
  requestedBy: string;
  origin: ExportOrigin;
};

type ListPosition = { id: string };

const isExpired = ({ ttl }: StoredExport, now: number): boolean => ttl * 1_000 <= now;

export type ExportStore = ReturnType<typeof createExportStore>;

/**
 * The exports of each organization, for requests and lists. Items: export-item.ts. All calls throw DomainError
 * `store_unavailable`.
 */
export const createExportStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const find = async (organizationId: string, exportId: string): Promise<StoredExport | undefined> => {
    const item = await getItem(client, tableName, exportKey(organizationId, exportId));
    return item && parseExport(item);
  };

  return {
    /** Reads strongly consistent, expired items too: a read unit per 4 KB. */
    find,

    /**
     * Stores a request, unless the id exists: six write units. The organization's set of running exports is changed in the
     * same transaction, so requests at the same time cannot exceed the limit.
     * @throws DomainError `too_many_exports`.
     */
    async create(organizationId: string, { id, requestedAt, ...fields }: NewExport): Promise<void> {
      const Item = {
        ...exportKey(organizationId, id),
        ...{ requestedAt, ...fields, status: "requested", files: [] },
        openShard: openExports.shardOf(organizationKey(organizationId)),
        ttl: Math.floor((requestedAt + EXPORT_KEPT_MS) / 1_000),
      };
      const failed = await transactWithRetry(client, [
        {
          Put: {
            ...{ TableName: tableName, Item },
            ConditionExpression: "attribute_not_exists(#key)",
            ExpressionAttributeNames: { "#key": "key" },
          },
        },
        {
          Update: {
            ...{ TableName: tableName, Key: runningKey(organizationId) },
            UpdateExpression: "ADD #ids :ids",
            ConditionExpression: "attribute_not_exists(#ids) OR size(#ids) < :max",
            ExpressionAttributeNames: { "#ids": "ids" },
            ExpressionAttributeValues: { ":ids": new Set([id]), ":max": MAX_RUNNING },
          },
        },
      ]);
      // An earlier attempt of the same request has stored the export.
      if (failed.size === 0 || failed.has(0)) return;
      throw new DomainError(
        "too_many_exports",
        `${MAX_RUNNING} exports of the organization are not complete yet. Try again when one has ended.`,
      );
    },

    /** Removes a request's origin after its event was recorded. One write unit per KB. */
    async forgetOrigin(organizationId: string, exportId: string): Promise<void> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: exportKey(organizationId, exportId),
        UpdateExpression: "REMOVE #origin",
        ConditionExpression: "attribute_exists(#origin)",
        ExpressionAttributeNames: { "#origin": "origin" },
      });
      await conditionalWrite((options) => client.send(command, options));
    },

    /**
     * A page of an organization's exports, the latest request first, read strongly consistent: a read unit per 4 KB.
     * @param page.now epoch ms; exports that have expired by then are left out.
     */
    async list(
      organizationId: string,
      { limit, after, now }: { limit: number; after: ListPosition | undefined; now: number },
    ): Promise<{ items: Export[]; next: ListPosition | undefined }> {
      const query = {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND #key BETWEEN :first AND :last",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: {
          ":scope": organizationKey(organizationId),
          ":first": EXPORTS_START,
          ":last": EXPORTS_END,
        },
        ...(after !== undefined && { ExclusiveStartKey: exportKey(organizationId, after.id) }),
        ScanIndexForward: false,
        ConsistentRead: true,
      };
      const { items, hasMore } = await queryPage(client, query, limit);
      const page = items.map(parseExport);
      const last = page.at(-1);
      return {
        items: page.filter((one) => !isExpired(one, now)).map((one) => toExport(one, now)),
        next: hasMore && last !== undefined ? { id: last.id } : undefined,
      };
    },

    /**
     * An organization's export; a read unit per 4 KB.
     * @throws DomainError `export_not_found` if it is unknown or expired.
     */
    async get(organizationId: string, exportId: string, now: number): Promise<StoredExport> {
      const stored = await find(organizationId, exportId);
      if (stored === undefined || isExpired(stored, now)) {
        throw new DomainError("export_not_found", "There is no such export.");
      }
      return stored;
    },

    /** All exports with work or files, by shard; may lag by a second. Half a read unit per shard and 4 KB. */
    async *listOpen(): AsyncGenerator<{ organizationId: string; exportId: string }, void, void> {
      for await (const item of readIndex(client, tableName, openExports)) {
        const { scope, key } = IndexEntry.parse(item);
        yield { organizationId: organizationIdOf(scope), exportId: exportIdOf(key) };
      }
    },
  };
};
