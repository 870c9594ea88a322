import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { getItem } from "../runtime/get-item.ts";
import { queryPage } from "../runtime/query-page.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { organizationKey } from "../terms/keys.ts";
import { DELIVERY_LIFE_MS, type DeliveryRef, type StoredDelivery } from "./delivery.ts";
import { deliveryKey, deliveryPrefix, parseDeliveryItem } from "./notification-items.ts";

const isExpired = ({ ttl }: StoredDelivery, now: number): boolean => ttl * 1_000 <= now;

export type NotificationDeliveryStore = ReturnType<typeof createNotificationDeliveryStore>;

/** The deliveries as users see and retry them. All calls throw DomainError `store_unavailable`. */
export const createNotificationDeliveryStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const update = async (organizationId: string, ref: DeliveryRef, change: Update): Promise<boolean> => {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: deliveryKey(organizationId, ref),
      ...renderUpdate(change),
    });
    return (await conditionalWrite((options) => client.send(command, options))).written;
  };

  return {
    /**
     * A page of a destination's deliveries, newest first. One read unit per 4 KB.
     * @param page.after the id of the last delivery of the page before. @param page.now epoch ms.
     */
    async list(
      organizationId: string,
      destinationId: string,
      { limit, after, now }: { limit: number; after: string | undefined; now: number },
    ): Promise<{ items: StoredDelivery[]; next: string | undefined }> {
      const scope = organizationKey(organizationId);
      const prefix = deliveryPrefix(destinationId);
      const { items, hasMore } = await queryPage(
        client,
        {
          TableName: tableName,
          KeyConditionExpression: "#scope = :scope AND begins_with(#key, :prefix)",
          ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
          ExpressionAttributeValues: { ":scope": scope, ":prefix": prefix },
          ScanIndexForward: false,
          ConsistentRead: true,
          ...(after !== undefined && { ExclusiveStartKey: { scope, key: prefix + after } }),
        },
        limit,
      );
      const stored = items.map(parseDeliveryItem);
      return {
        items: stored.filter((one) => !isExpired(one, now)),
        next: hasMore ? stored.at(-1)?.deliveryId : undefined,
      };
    },

    /** Reads strongly. Undefined if the delivery does not exist, or no longer. @param now epoch ms. */
    async read(organizationId: string, ref: DeliveryRef, now: number): Promise<StoredDelivery | undefined> {
      const item = await getItem(client, tableName, deliveryKey(organizationId, ref));
      const stored = item && parseDeliveryItem(item);
      return stored !== undefined && !isExpired(stored, now) ? stored : undefined;
    },

    /** Stores a new delivery; a stored one stays as it is. One write unit per KB. */
    async put(organizationId: string, delivery: StoredDelivery): Promise<void> {
      const command = new PutCommand({
        TableName: tableName,
        Item: { ...deliveryKey(organizationId, delivery), ...delivery },
        ConditionExpression: "attribute_not_exists(#key)",
        ExpressionAttributeNames: { "#key": "key" },
      });
      await conditionalWrite((options) => client.send(command, options));
    },

    async delete(organizationId: string, ref: DeliveryRef): Promise<void> {
      const command = new DeleteCommand({ TableName: tableName, Key: deliveryKey(organizationId, ref) });
      await callStore((options) => client.send(command, options));
    },

    /**
     * Makes a failed delivery pending again, with all its tries. One write unit per KB.
     * @param retry.retryId of the request. @param retry.at epoch ms.
     * @returns false if it has not failed, or has gone.
     */
    requeue: (
      organizationId: string,
      ref: DeliveryRef,
      { retryId, at, by }: { retryId: string; at: number; by: string },
    ): Promise<boolean> =>
      update(organizationId, ref, {
        set: {
          ...{ status: "pending", retryId, requestedBy: by, tries: 0 },
          ttl: Math.ceil((at + DELIVERY_LIFE_MS) / 1_000),
        },
        remove: ["endedAt", "error", "notBefore"],
        condition: "#status = :failed",
        values: { failed: "failed" },
      }),

    /** Takes a retry back that could not be handed over. */
    withdraw: (organizationId: string, ref: DeliveryRef, { retryId, at }: { retryId: string; at: number }) =>
      update(organizationId, ref, {
        set: { status: "failed", endedAt: at, error: "The retry could not be handed over." },
        remove: ["retryId"],
        condition: "#retryId = :retryId AND #status = :pending",
        values: { retryId, pending: "pending" },
      }),
  };
};
