/**
 * What sending writes: the lease and the tries of a delivery, and how its destination fares. A delivery belongs to the
 * instance whose lease it has, so two messages of one delivery are not sent at once.
 */
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { definedFields } from "../json/defined-fields.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { getItem } from "../runtime/get-item.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { type DeliveryAttempt, type DeliveryMessage, MAX_ATTEMPTS, type StoredDelivery } from "./delivery.ts";
import {
  type DestinationItem,
  deliveryKey,
  destinationKey,
  parseDeliveryItem,
  parseDestinationItem,
} from "./notification-items.ts";

/** Longer than the function's time-out: a lease that ended belongs to an instance that is gone. */
const LEASE_MS = 75_000;

/** `busy`: another instance sends the delivery, until `until`. `early`: it is not due before `until`. Both epoch ms. */
export type Claimed =
  | { is: "claimed"; delivery: StoredDelivery }
  | { is: "busy" | "early"; until: number }
  | { is: "ended" };

/** How a try ended. Times in epoch ms. `again`: when the next try is due. `tries`: the failed ones, this one included. */
export type TryResult =
  | { is: "delivered"; at: number }
  | { is: "again"; notBefore: number; tries: number }
  | { is: "failed"; at: number; error: string; tries?: number };

export type SendingStore = ReturnType<typeof createSendingStore>;

/** All calls throw DomainError `store_unavailable`. */
export const createSendingStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const send = (Key: Record<string, string>, change: Update) =>
    conditionalWrite((options) =>
      client.send(
        new UpdateCommand({
          TableName: tableName,
          Key,
          ...renderUpdate(change),
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
        options,
      ),
    );

  return {
    /** Takes the lease of a delivery that is due. A bundle begins with it. @param token of this claim. */
    async claim(message: DeliveryMessage, { token, now }: { token: string; now: number }): Promise<Claimed> {
      const result = await send(deliveryKey(message.organizationId, message), {
        set: { leaseUntil: now + LEASE_MS, leaseToken: token },
        setOnce: { begunAt: now },
        condition:
          "#status = :pending AND (attribute_not_exists(#leaseUntil) OR #leaseUntil <= :now) AND (attribute_not_exists(#notBefore) OR #notBefore <= :now)",
        values: { pending: "pending", now },
      });
      if (result.written) return { is: "claimed", delivery: parseDeliveryItem(result.output.Attributes) };
      if (result.item?.key === undefined) return { is: "ended" };
      const stored = parseDeliveryItem(result.item);
      if (stored.status !== "pending") return { is: "ended" };
      // The first attempt of this call wrote the item, and its answer was lost.
      if (result.isRepeated && stored.leaseToken === token) return { is: "claimed", delivery: stored };
      const { leaseUntil = 0, notBefore = 0 } = stored;
      return leaseUntil > now ? { is: "busy", until: leaseUntil } : { is: "early", until: notBefore };
    },

    /** Keeps the text of a summary, so that every try says the same. @returns false if the lease was lost. */
    async keepNotification(message: DeliveryMessage, token: string, notification: string): Promise<boolean> {
      const { written } = await send(deliveryKey(message.organizationId, message), {
        set: { notification },
        condition: "#leaseToken = :token",
        values: { token },
      });
      return written;
    },

    /**
     * Records how a try ended and gives the lease back. @returns false if the lease was lost, or the answer of an attempt
     * of this call was: the delivery must be looked at again.
     */
    async record(
      message: DeliveryMessage,
      token: string,
      result: TryResult,
      attempts: readonly DeliveryAttempt[],
    ): Promise<boolean> {
      const { tries } = result.is === "delivered" ? {} : result;
      const outcome =
        result.is === "again"
          ? { notBefore: result.notBefore }
          : {
              ...{ status: result.is, endedAt: result.at },
              ...(result.is === "failed" && { error: result.error }),
            };
      const { written } = await send(deliveryKey(message.organizationId, message), {
        set: { ...outcome, ...definedFields({ tries }), attempts: attempts.slice(-MAX_ATTEMPTS) },
        remove: ["leaseUntil", "leaseToken", ...(result.is === "again" ? [] : ["notBefore"])],
        condition: "#leaseToken = :token",
        values: { token },
      });
      return written;
    },

    /** Reads strongly; undefined if the destination was deleted. */
    async readDestination(organizationId: string, id: string): Promise<DestinationItem | undefined> {
      const item = await getItem(client, tableName, destinationKey(organizationId, id));
      return item && parseDestinationItem(item);
    },

    /** Notes a success: the destination does not fail any more. */
    async noteSuccess(organizationId: string, id: string, at: number): Promise<void> {
      await send(destinationKey(organizationId, id), {
        set: { lastDeliveredAt: at },
        remove: ["failingSince"],
        condition: "attribute_exists(#key) AND (attribute_not_exists(#lastDeliveredAt) OR #lastDeliveredAt <= :at)",
        values: { at },
      });
    },

    /** Notes a failed try. @returns since when the destination fails; undefined if it is gone or succeeded since. */
    async noteFailure(organizationId: string, id: string, at: number): Promise<number | undefined> {
      const result = await send(destinationKey(organizationId, id), {
        set: {},
        setOnce: { failingSince: at },
        condition: "attribute_exists(#key) AND (attribute_not_exists(#lastDeliveredAt) OR #lastDeliveredAt <= :at)",
        values: { at },
      });
      return result.written ? parseDestinationItem(result.output.Attributes).failingSince : undefined;
    },

    /** Pauses an active destination. */
    async pause(organizationId: string, id: string, { at, because }: { at: number; because: "failing" | "gone" }) {
      await send(destinationKey(organizationId, id), {
        set: { status: "paused", pausedAt: at, pausedBecause: because },
        condition: "#status = :active",
        values: { active: "active" },
      });
    },
  };
};
