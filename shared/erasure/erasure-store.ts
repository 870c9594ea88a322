import { type DynamoDBDocumentClient, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { conditionalTransaction, conditionalWrite } from "../runtime/conditional-write.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { getItem } from "../runtime/get-item.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { queryPage } from "../runtime/query-page.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import type { LeaseOwner } from "../work/lease.ts";
import { createLeaseStore } from "../work/lease-store.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import { type Erasure, type ErasureRequest, nothingRemoved, type Removed } from "./erasure.ts";
import {
  ERASURES_END,
  ERASURES_START,
  erasureIdOf,
  erasureKey,
  OPEN_ATTRIBUTES,
  openErasures,
  parseErasure,
  type RequestOrigin,
  type StoredErasure,
  toErasure,
} from "./erasure-item.ts";
import { lateItemOf } from "./late-store.ts";
import { type Checkpoint, newWork } from "./passes.ts";

const IndexEntry = z.object({ scope: z.string(), key: z.string() });

/** A request to store. `requestedAt` in epoch ms. */
export type NewErasure = {
  id: string;
  requestedAt: number;
  requestedBy: string;
  request: ErasureRequest;
  origin: RequestOrigin;
};

type ListPosition = { id: string };

export type ErasureStore = ReturnType<typeof createErasureStore>;

/**
 * The erasures of each organization, for requests and lists. Items: erasure-item.ts. All calls throw DomainError
 * `store_unavailable`.
 */
export const createErasureStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const find = async (organizationId: string, erasureId: string): Promise<StoredErasure | undefined> => {
    const item = await getItem(client, tableName, erasureKey(organizationId, erasureId));
    return item && parseErasure(item);
  };

  return {
    /** Reads strongly consistent: a read unit per 4 KB. */
    find,

    /** Stores a request with its rule for late events, unless the id exists: six write units. */
    async create(organizationId: string, { request, ...erasure }: NewErasure): Promise<void> {
      const { id, requestedAt, requestedBy, origin } = erasure;
      const { scope: what, userId, reason } = request;
      const Item = {
        ...erasureKey(organizationId, id),
        ...{ what, userId, reason, requestedAt, requestedBy, origin },
        ...{ status: "requested", removed: nothingRemoved, work: newWork },
        openShard: openErasures.shardOf(organizationKey(organizationId)),
      };
      const command = new TransactWriteCommand({
        ClientRequestToken: newRequestToken(),
        TransactItems: [
          {
            Put: {
              ...{ TableName: tableName, Item },
              ConditionExpression: "attribute_not_exists(#key)",
              ExpressionAttributeNames: { "#key": "key" },
            },
          },
          { Put: { TableName: tableName, Item: lateItemOf(organizationId, { id, what, userId, requestedAt }) } },
        ],
      });
      const result = await conditionalTransaction((options) => client.send(command, options));
      // A concurrent request with the same Idempotency-Key may have stored the erasure, or may be about to.
      if (result.written || (await find(organizationId, id)) !== undefined) return;
      throw new DomainError("store_unavailable", "The request was not stored. Try again.", { cause: result.cause });
    },

    /** Removes a request's origin after its event was recorded. Two write units. */
    async forgetOrigin(organizationId: string, erasureId: string): Promise<void> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: erasureKey(organizationId, erasureId),
        UpdateExpression: "REMOVE #origin",
        ConditionExpression: "attribute_exists(#origin)",
        ExpressionAttributeNames: { "#origin": "origin" },
      });
      await conditionalWrite((options) => client.send(command, options));
    },

    /** A page of an organization's erasures, the latest request first, read strongly consistent: a read unit per 4 KB. */
    async list(
      organizationId: string,
      { limit, after }: { limit: number; after: ListPosition | undefined },
    ): Promise<{ items: Erasure[]; next: ListPosition | undefined }> {
      const query = {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND #key BETWEEN :first AND :last",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: {
          ":scope": organizationKey(organizationId),
          ":first": ERASURES_START,
          ":last": ERASURES_END,
        },
        ...(after !== undefined && { ExclusiveStartKey: erasureKey(organizationId, after.id) }),
        ScanIndexForward: false,
        ConsistentRead: true,
      };
      const { items, hasMore } = await queryPage(client, query, limit);
      const page = items.map(parseErasure).map(toErasure);
      const last = page.at(-1);
      return { items: page, next: hasMore && last !== undefined ? { id: last.id } : undefined };
    },

    /** All erasures that are not completed, by shard; may lag by a second. Half a read unit per shard and 4 KB. */
    async *listOpen(): AsyncGenerator<{ organizationId: string; erasureId: string }, void, void> {
      for await (const item of readIndex(client, tableName, openErasures)) {
        const { scope, key } = IndexEntry.parse(item);
        yield { organizationId: organizationIdOf(scope), erasureId: erasureIdOf(key) };
      }
    },
  };
};

export type ErasureLeaseStore = ReturnType<typeof createErasureLeaseStore>;

/**
 * The leases of erasures, for workers (shared/work/lease.ts). Times are epoch ms. Each call costs a write unit per KB. All
 * throw DomainError `store_unavailable`; all but `take` and `release` throw LeaseLostError.
 */
export const createErasureLeaseStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const leases = createLeaseStore(client, tableName);
  return {
    /** @returns undefined if another worker holds the lease, or the erasure is completed. */
    async take(
      organizationId: string,
      erasureId: string,
      owner: LeaseOwner,
      now: number,
    ): Promise<StoredErasure | undefined> {
      const also = { set: { status: "running" }, condition: "attribute_exists(#openShard)" };
      const item = await leases.take(erasureKey(organizationId, erasureId), owner, now, also);
      return item && parseErasure(item);
    },

    renew: (organizationId: string, erasureId: string, owner: LeaseOwner, now: number): Promise<void> =>
      leases.renew(erasureKey(organizationId, erasureId), owner, now),

    checkpoint: (
      organizationId: string,
      { id, work, removed }: Checkpoint & { id: string },
      owner: LeaseOwner,
      now: number,
    ): Promise<void> => leases.renew(erasureKey(organizationId, id), owner, now, { set: { work, removed } }),

    release: (organizationId: string, erasureId: string, owner: LeaseOwner): Promise<void> =>
      leases.release(erasureKey(organizationId, erasureId), owner),

    /** Completes the erasure, and removes the user's id. */
    complete: (
      organizationId: string,
      { id, removed, completedAt }: { id: string; removed: Removed; completedAt: number },
      owner: LeaseOwner,
    ): Promise<void> => {
      const set = { status: "completed", completedAt, removed };
      return leases.write(erasureKey(organizationId, id), owner, { set, remove: OPEN_ATTRIBUTES });
    },
  };
};
