/**
 * Tells of a destination that gets fewer alerts than before: all other active destinations, and the destination as it was.
 * At once, past filters, digests, quiet hours and storms. docs/notifications.md, "Changes that silence".
 */
import type { Clock } from "../runtime/clock.ts";
import { type DeliveryRef, newDelivery } from "./delivery.ts";
import type { NotificationDeliveryStore } from "./delivery-store.ts";
import type { Destination } from "./destination.ts";
import type { Notification } from "./messages/notification.ts";
import type { NoticeStore } from "./notice-store.ts";

type Dependencies = {
  notices: Pick<NoticeStore, "silencings" | "forgetSilencing">;
  deliveries: Pick<NotificationDeliveryStore, "put" | "read">;
  /** Sends the message of a delivery. @throws Error if the queue does not take it. */
  send(organizationId: string, ref: DeliveryRef): Promise<void>;
  now: Clock;
};

/**
 * @param destinations all of the organization.
 * @param notificationOf the alert's notification under a title; undefined if the alert is not stored any more.
 */
export const createSilencingDispatcher =
  ({ notices, deliveries, send, now }: Dependencies) =>
  async (
    { organizationId, alert }: { organizationId: string; alert: { id: string; subject: string } },
    destinations: readonly Destination[],
    notificationOf: (title: string) => Notification | undefined,
  ): Promise<void> => {
    const others = destinations.filter(({ id }) => id !== alert.subject);
    for (const silencing of await notices.silencings(organizationId, alert.subject)) {
      const { eventId: deliveryId, title, former } = silencing;
      const notification = notificationOf(title);
      if (notification !== undefined) {
        const { type } = notification;
        const fields = { type, createdAt: now(), notification: JSON.stringify(notification), alertId: alert.id };
        const deliver = async (destinationId: string, more: { former?: typeof former } = {}) => {
          const ref = { destinationId, deliveryId };
          await deliveries.put(organizationId, newDelivery(ref, { ...fields, ...more }));
          await send(organizationId, ref);
        };
        /** This event may have stored the delivery before the destination was paused, and have ended before it sent the message. */
        const deliverStored = async (destinationId: string) => {
          const ref = { destinationId, deliveryId };
          const stored = await deliveries.read(organizationId, ref, now());
          if (stored?.status === "pending") await send(organizationId, ref);
        };
        await Promise.all([
          ...others.map(({ id, status }) => (status === "active" ? deliver(id) : deliverStored(id))),
          ...(former === undefined ? [] : [deliver(alert.subject, { former })]),
        ]);
      }
      // The silencing last: an event that comes again after a crash finds it, and sends all messages again.
      await notices.forgetSilencing(organizationId, silencing);
    }
  };
