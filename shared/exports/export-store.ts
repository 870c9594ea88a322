import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { conditionalWrite, transactWithRetry } from "../runtime/conditional-write.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { getItem } from "../runtime/get-item.ts";
import { queryPage } from "../runtime/query-page.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import type { LeaseOwner } from "../work/lease.ts";
import { createLeaseStore, type JobUpdate } from "../work/lease-store.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import {
  EXPORT_KEPT_MS,
  type Export,
  type ExportErrorCode,
  type ExportFilter,
  type ExportFormat,
  type ExportKind,
  FILES_KEPT_MS,
  MAX_RUNNING,
} from "./export.ts";
import {
  EXPORTS_END,
  EXPORTS_START,
  type ExportOrigin,
  type ExportWork,
  exportIdOf,
  exportKey,
  openExports,
  parseExport,
  runningKey,
  type StoredExport,
  type StoredFile,
  toExport,
  WORK_ATTRIBUTES,
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
      ]).catch((cause: unknown) => {
        if (cause instanceof DomainError) throw cause;
        throw new DomainError("store_unavailable", "The request was not stored. Try again.", { cause });
      });
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

/** Takes an export out of the set of running ones. Idempotent; one write unit. @throws DomainError `store_unavailable`. */
export const freePlace = async (
  client: DynamoDBDocumentClient,
  tableName: string,
  organizationId: string,
  exportId: string,
): Promise<void> => {
  const command = new UpdateCommand({
    TableName: tableName,
    Key: runningKey(organizationId),
    UpdateExpression: "DELETE #ids :ids",
    ConditionExpression: "contains(#ids, :id)",
    ExpressionAttributeNames: { "#ids": "ids" },
    ExpressionAttributeValues: { ":ids": new Set([exportId]), ":id": exportId },
  });
  await conditionalWrite((options) => client.send(command, options));
};

/** What a worker stores after each step. */
export type ExportCheckpoint = { id: string; work: ExportWork; files: readonly StoredFile[] };

export type ExportEnd =
  | { status: "completed"; files: readonly StoredFile[]; completedAt: number }
  | { status: "failed"; error: ExportErrorCode };

export type ExportLeaseStore = ReturnType<typeof createExportLeaseStore>;

/**
 * The leases of exports, for workers (shared/work/lease.ts). Times are epoch ms. Each call costs a write unit per KB. All
 * throw DomainError `store_unavailable`; all but `take` and `release` throw LeaseLostError.
 */
export const createExportLeaseStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const leases = createLeaseStore(client, tableName);

  const write = (organizationId: string, exportId: string, owner: LeaseOwner, also: JobUpdate) =>
    leases.write(exportKey(organizationId, exportId), owner, also);

  return {
    /** @returns undefined if another worker holds the lease, or the export has no work and no files to delete. */
    async take(
      organizationId: string,
      exportId: string,
      owner: LeaseOwner,
      now: number,
    ): Promise<StoredExport | undefined> {
      const also = {
        condition: "attribute_exists(#openShard) AND (attribute_not_exists(#completedAt) OR #completedAt <= :expired)",
        values: { expired: now - FILES_KEPT_MS },
      };
      const item = await leases.take(exportKey(organizationId, exportId), owner, now, also);
      return item && parseExport(item);
    },

    renew: (organizationId: string, exportId: string, owner: LeaseOwner, now: number): Promise<void> =>
      leases.renew(exportKey(organizationId, exportId), owner, now),

    checkpoint: (
      organizationId: string,
      { id, work, files }: ExportCheckpoint,
      owner: LeaseOwner,
      now: number,
    ): Promise<void> =>
      leases.renew(exportKey(organizationId, id), owner, now, { set: { status: "running", work, files } }),

    release: (organizationId: string, exportId: string, owner: LeaseOwner): Promise<void> =>
      leases.release(exportKey(organizationId, exportId), owner),

    /**
     * Ends the export. Its place is freed first: a crash in between leaves an export that ends again, and never a place
     * that is taken for ever.
     */
    async end(organizationId: string, exportId: string, end: ExportEnd, owner: LeaseOwner): Promise<void> {
      await freePlace(client, tableName, organizationId, exportId);
      // A failed export has no files that must be deleted later.
      const remove = end.status === "failed" ? [...WORK_ATTRIBUTES, "openShard"] : WORK_ATTRIBUTES;
      await write(organizationId, exportId, owner, { set: end, remove });
    },

    /** Marks the files of a completed export as deleted. */
    forgetFiles: (organizationId: string, exportId: string, owner: LeaseOwner): Promise<void> =>
      write(organizationId, exportId, owner, {
        set: { status: "deleted" },
        remove: [...WORK_ATTRIBUTES, "openShard"],
      }),
  };
};
