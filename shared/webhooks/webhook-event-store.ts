import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { queryPage } from "../runtime/query-page.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { PENDING_WEBHOOKS } from "../terms/indexes.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { shardOf } from "../terms/shard-of.ts";
import { boundObservations, type Outcome, outcomes, StoredObservations, type WebhookEvent } from "./webhook-event.ts";

/** The provider repeats a delivery for days, and its feed names an event for 30. */
const KEPT_SECONDS = 30 * 86_400;

/** What waits to be handed over is shared out, so that one organization's storm makes no partition hot. */
const PENDING_SHARDS = 16;
const pendingShard = (shard: number): string => `pending#${shard}`;

/**
 * One item per event: partition key `scope` (the organization's), sort key `id` (the provider's). `observations` is
 * JSON; `token` names the request that stored it; `ttl` in epoch seconds. `pendingShard` stands in the item while it is
 * not known to be handed over, and so does the item in the index byPending (with `receivedAt`).
 */
const WebhookEventItem = z.object({
  id: z.string(),
  type: z.string(),
  createdSeconds: z.number(),
  objectId: z.exactOptional(z.string()),
  observations: z.pipe(
    z.pipe(
      z.string(),
      z.transform((json: string): unknown => JSON.parse(json)),
    ),
    StoredObservations,
  ),
  isDeauthorization: z.boolean(),
  connectionId: z.string(),
  accountId: z.string(),
  receivedAt: z.number(),
  processedAt: z.exactOptional(z.number()),
  outcome: z.exactOptional(z.enum(outcomes)),
  ttl: z.number(),
});

const PendingKey = z.object({ scope: z.string(), id: z.string() });

/** What a delivery finds: `new` where it is the first; else whether the event is known to be handed over. */
export type Added = "new" | "pending" | "settled";

/** An event, and whose. */
export type EventKey = { organizationId: string; id: string };

export type WebhookEventStore = ReturnType<typeof createWebhookEventStore>;

/** The events that webhooks brought, kept 30 days. All calls throw DomainError `store_unavailable`. */
export const createWebhookEventStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const keyOf = ({ organizationId, id }: EventKey) => ({ scope: organizationKey(organizationId), id });

  /** Changes an event that is still there: one that was erased meanwhile must not come back. */
  const change = async (key: EventKey, set: Update["set"]): Promise<void> => {
    const update = { set, remove: ["pendingShard"], condition: "attribute_exists(#id)", values: {} };
    const command = new UpdateCommand({ TableName: tableName, Key: keyOf(key), ...renderUpdate(update) });
    try {
      await callStore((options) => client.send(command, options));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };

  return {
    /**
     * Stores an event once, whoever comes first; one write unit per KB, and twice that where it is to be handed over.
     * An event that has an outcome already is settled from the start.
     */
    async add(organizationId: string, event: WebhookEvent): Promise<Added> {
      const { id, receivedAt, observations } = event;
      const token = newRequestToken();
      const seconds = Math.floor(receivedAt / 1_000);
      const command = new PutCommand({
        TableName: tableName,
        Item: {
          ...event,
          ...keyOf({ organizationId, id }),
          observations: JSON.stringify(boundObservations(observations)),
          ...(event.outcome === undefined && { pendingShard: pendingShard(shardOf(id, PENDING_SHARDS)) }),
          token,
          ttl: seconds + KEPT_SECONDS,
        },
        ConditionExpression: "attribute_not_exists(#id) OR #ttl <= :seconds",
        ExpressionAttributeNames: { "#id": "id", "#ttl": "ttl" },
        ExpressionAttributeValues: { ":seconds": seconds },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      try {
        await callStore((options) => client.send(command, options));
        return "new";
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // The SDK repeats a put whose answer was lost, and then finds what its own first try wrote.
        if (error.Item?.token?.S === token) return "new";
        return error.Item?.pendingShard === undefined ? "settled" : "pending";
      }
    },

    /** The event as it is; undefined where there is none (any more). */
    async read(organizationId: string, id: string, now: number): Promise<WebhookEvent | undefined> {
      const command = new GetCommand({
        TableName: tableName,
        Key: keyOf({ organizationId, id }),
        ConsistentRead: true,
      });
      const { Item } = await callStore((options) => client.send(command, options));
      if (Item === undefined) return undefined;
      const { ttl, ...event } = WebhookEventItem.parse(Item);
      return ttl * 1_000 <= now ? undefined : event;
    },

    /** Notes that the bus has an event; one write unit per KB of it, and one for the index that it leaves. */
    markHandedOver: (key: EventKey, at: number): Promise<void> => change(key, { handedOverAt: at }),

    /** Notes what became of an event. It is settled then, even if nobody noted that it was handed over. */
    markProcessed: (key: EventKey, outcome: Outcome, at: number): Promise<void> =>
      change(key, { processedAt: at, outcome }),

    /**
     * Events that are not known to be handed over, oldest first in each of the 16 parts; at most `limit` of a part.
     * Half a read unit for each part, and more only where it is full. May lag by a second.
     * @param before epoch ms: only those that were received earlier.
     */
    async listPending({ before, limit }: { before: number; limit: number }): Promise<EventKey[]> {
      const parts = Array.from({ length: PENDING_SHARDS }, async (_, shard) => {
        const query = {
          TableName: tableName,
          IndexName: PENDING_WEBHOOKS.name,
          KeyConditionExpression: "#shard = :shard AND #receivedAt < :before",
          ExpressionAttributeNames: {
            "#shard": PENDING_WEBHOOKS.partitionKey,
            "#receivedAt": PENDING_WEBHOOKS.sortKey,
          },
          ExpressionAttributeValues: { ":shard": pendingShard(shard), ":before": before },
        };
        const { items } = await queryPage(client, query, limit);
        return items.map((item) => {
          const { scope, id } = PendingKey.parse(item);
          return { organizationId: organizationIdOf(scope), id };
        });
      });
      return (await Promise.all(parts)).flat();
    },
  };
};
