/** Stores a delivery that a request asked for, and hands it over to the queue of deliveries to send. */
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import {
  type DeliveryMessage,
  type DeliveryRef,
  type NotificationDelivery,
  newDelivery,
  toNotificationDelivery,
} from "./delivery.ts";
import type { NotificationDeliveryStore } from "./delivery-store.ts";
import type { Notification } from "./messages/notification.ts";

/** Sends messages to the queue; returns those that it did not take. Never throws. */
export type DeliveryQueue = {
  /** @param messages.group the organization. */
  send(
    messages: readonly { body: DeliveryMessage; group: string; delaySeconds: number }[],
  ): Promise<readonly unknown[]>;
};

export type HandOverDependencies = {
  deliveries: Pick<NotificationDeliveryStore, "put" | "delete">;
  queue: DeliveryQueue;
};

/** Sends the message of a delivery, which arrives after `delaySeconds`. @returns whether the queue took it. */
export const enqueue = async (
  queue: DeliveryQueue,
  organizationId: string,
  { destinationId, deliveryId }: DeliveryRef,
  delaySeconds = 0,
): Promise<boolean> => {
  const body = { organizationId, destinationId, deliveryId };
  return (await queue.send([{ body, group: organizationId, delaySeconds }])).length === 0;
};

export const notHandedOver = () =>
  new DomainError("store_unavailable", "The delivery could not be handed over. Nothing is sent; try again.");

/**
 * The returned function stores a delivery and hands it over; again, it hands over the stored one. If the queue does not take
 * it, it is removed. @throws DomainError `store_unavailable`.
 */
export const createHandOver =
  ({ deliveries, queue }: HandOverDependencies) =>
  async (ref: DeliveryRef, notification: Notification, by: { requestedBy: string }): Promise<NotificationDelivery> => {
    const { organizationId, type, timestamp: createdAt } = notification;
    const delivery = newDelivery(ref, { ...by, type, createdAt, notification: JSON.stringify(notification) });
    await deliveries.put(organizationId, delivery);
    if (await enqueue(queue, organizationId, ref)) return toNotificationDelivery(delivery);
    await asSideWork(() => deliveries.delete(organizationId, ref)).catch((error: unknown) => {
      writeLog("warn", "Removing a delivery that was not handed over failed", { cause: String(error) });
    });
    throw notHandedOver();
  };
export type HandOver = ReturnType<typeof createHandOver>;
