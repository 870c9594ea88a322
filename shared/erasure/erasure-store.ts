import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { queryPage } from "../runtime/query-page.ts";
import { readShards } from "../runtime/read-shards.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { type Erasure, type ErasureRequest, nothingRemoved } from "./erasure.ts";
import {
  ERASURES_END,
  ERASURES_START,
  erasureIdOf,
  erasureKey,
  OPEN_INDEX,
  openShardOf,
  openShards,
  parseErasure,
  type RequestOrigin,
  type StoredErasure,
  toErasure,
} from "./erasure-item.ts";
import { newWork } from "./erasure-work.ts";
import { lateItemOf } from "./late-store.ts";

const Entry = z.object({ scope: z.string(), key: z.string() });

/** A request that is to be stored. `requestedAt` in epoch ms. */
export type NewErasure = {
  id: string;
  requestedAt: number;
  requestedBy: string;
  request: ErasureRequest;
  origin: RequestOrigin;
};

export type ErasureStore = ReturnType<typeof createErasureStore>;

/**
 * The erasures of each organization, for those who ask for them and look at them; who works on them has
 * erasure-lease-store.ts. Items: erasure-item.ts. All calls throw DomainError `store_unavailable`.
 */
export const createErasureStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const find = async (organizationId: string, erasureId: string): Promise<StoredErasure | undefined> => {
    const Key = erasureKey(organizationId, erasureId);
    const command = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
    const { Item } = await callStore((options) => client.send(command, options));
    return Item && parseErasure(Item);
  };

  return {
    /** Read strongly: a read unit per 4 KB. */
    find,

    /** Stores a request, and what late events are held against, once for its id: six write units. */
    async create(organizationId: string, { request, ...erasure }: NewErasure): Promise<void> {
      const { id, requestedAt, requestedBy, origin } = erasure;
      const { scope: what, userId, reason } = request;
      const Item = {
        ...erasureKey(organizationId, id),
        ...{ what, userId, reason, requestedAt, requestedBy, origin },
        ...{ status: "requested", removed: nothingRemoved, work: newWork },
        openShard: openShardOf(organizationId),
      };
      const command = new TransactWriteCommand({
        // The SDK sends it again where an answer was lost, and DynamoDB then says what it said the first time.
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
      try {
        await callStore((options) => client.send(command, options));
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        // Another request with the same Idempotency-Key was faster, or is under way.
        if ((await find(organizationId, id)) !== undefined) return;
        throw new DomainError("store_unavailable", "The request was not stored. Try again.", { cause: error });
      }
    },

    /** Forgets from where a request came, once its event was recorded. Two write units. */
    async forgetOrigin(organizationId: string, erasureId: string): Promise<void> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: erasureKey(organizationId, erasureId),
        UpdateExpression: "REMOVE #origin",
        ConditionExpression: "attribute_exists(#origin)",
        ExpressionAttributeNames: { "#origin": "origin" },
      });
      await callStore((options) => client.send(command, options)).catch((error: unknown) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      });
    },

    /** A page of an organization's erasures, the last request first, read strongly: one read unit per 4 KB. */
    async list(
      organizationId: string,
      { limit, after }: { limit: number; after: { id: string } | undefined },
    ): Promise<{ items: Erasure[]; next: { id: string } | undefined }> {
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

    /** All erasures that are not completed, shard by shard; may lag by a second. Half a read unit per shard and 4 KB. */
    async *listOpen(): AsyncGenerator<{ organizationId: string; erasureId: string }, void, void> {
      const index = { index: OPEN_INDEX, attribute: "openShard", shards: openShards };
      for await (const item of readShards(client, tableName, index)) {
        const { scope, key } = Entry.parse(item);
        yield { organizationId: organizationIdOf(scope), erasureId: erasureIdOf(key) };
      }
    },
  };
};
