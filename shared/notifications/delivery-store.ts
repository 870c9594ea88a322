import { deleteItem, getItem, putItem, type Table, type Update, updateItem } from "../runtime/table.ts";
import { queryPage } from "../runtime/table-query.ts";
import { organizationKey } from "../terms/keys.ts";
import { type DeliveryRef, expiryAfter, type StoredDelivery } from "./delivery.ts";
import { deliveryKey, deliveryPrefix, parseDeliveryItem } from "./notification-items.ts";

const isExpired = ({ ttl }: StoredDelivery, now: number): boolean => ttl * 1_000 <= now;

export type NotificationDeliveryStore = ReturnType<typeof createNotificationDeliveryStore>;

/** The deliveries as users see and retry them. All calls throw DomainError `store_unavailable`. */
export const createNotificationDeliveryStore = (table: Table<"notifications">) => {
  const update = async (organizationId: string, ref: DeliveryRef, change: Update): Promise<boolean> => {
    return (await updateItem(table, deliveryKey(organizationId, ref), change)).written;
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
      const query = {
        where: "#scope = :scope AND begins_with(#key, :prefix)",
        values: { scope, prefix },
        after: after === undefined ? undefined : { scope, key: prefix + after },
        isDescending: true,
        isConsistent: true,
      };
      const { items, hasMore } = await queryPage(table, query, limit);
      const stored = items.map(parseDeliveryItem);
      return {
        items: stored.filter((one) => !isExpired(one, now)),
        next: hasMore ? stored.at(-1)?.deliveryId : undefined,
      };
    },

    /** Reads strongly. Undefined if the delivery does not exist, or no longer. @param now epoch ms. */
    async read(organizationId: string, ref: DeliveryRef, now: number): Promise<StoredDelivery | undefined> {
      const item = await getItem(table, deliveryKey(organizationId, ref));
      const stored = item && parseDeliveryItem(item);
      return stored !== undefined && !isExpired(stored, now) ? stored : undefined;
    },

    /** Stores a new delivery; a stored one stays as it is. One write unit per KB. */
    async put(organizationId: string, delivery: StoredDelivery): Promise<void> {
      const item = { ...deliveryKey(organizationId, delivery), ...delivery };
      await putItem(table, item, { condition: "attribute_not_exists(#key)" });
    },

    async delete(organizationId: string, ref: DeliveryRef): Promise<void> {
      await deleteItem(table, deliveryKey(organizationId, ref));
    },

    /**
     * Makes a failed delivery pending again, with all its tries, until its message is sent (`noteRetrySent`). One write unit
     * per KB.
     * @param retry.retryId of the request. @param retry.at epoch ms.
     * @returns false if it has not failed, or has gone.
     */
    requeue: (
      organizationId: string,
      ref: DeliveryRef,
      { retryId, at, by }: { retryId: string; at: number; by: string },
    ): Promise<boolean> =>
      update(organizationId, ref, {
        set: { status: "pending", retryId, isRetryUnsent: true, requestedBy: by, tries: 0, ttl: expiryAfter(at) },
        remove: ["endedAt", "error", "notBefore"],
        condition: "#status = :failed",
        values: { failed: "failed" },
      }),

    /** Notes that the queue has taken the message of a retry. One write unit per KB. */
    noteRetrySent: (organizationId: string, ref: DeliveryRef, retryId: string): Promise<boolean> =>
      update(organizationId, ref, {
        remove: ["isRetryUnsent"],
        condition: "#retryId = :retryId",
        values: { retryId },
      }),

    /** Takes a retry back that could not be handed over. */
    withdraw: (organizationId: string, ref: DeliveryRef, { retryId, at }: { retryId: string; at: number }) =>
      update(organizationId, ref, {
        set: { status: "failed", endedAt: at, error: "The retry could not be handed over." },
        remove: ["retryId", "isRetryUnsent"],
        condition: "#retryId = :retryId AND #status = :pending",
        values: { retryId, pending: "pending" },
      }),
  };
};
