/** POST …/notifications/{id}/test and POST …/notifications/deliveries/{id}/retry. docs/notifications.md. */
import type { Clock } from "../runtime/clock.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import type { UserRequest } from "../terms/requester.ts";
import { destinationNotFound } from "./change-destination.ts";
import {
  type DeliveryRef,
  type NotificationDelivery,
  parsePublicDeliveryId,
  type StoredDelivery,
  toNotificationDelivery,
} from "./delivery.ts";
import type { NotificationDeliveryStore } from "./delivery-store.ts";
import type { Destination } from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import { type DeliveryQueue, enqueue, type HandOver, notHandedOver } from "./hand-over.ts";
import type { NotificationType } from "./messages/notification.ts";
import { MAX_TESTS_IN_WINDOW, type TestWindowStore } from "./test-window-store.ts";

type Request = Pick<UserRequest, "caller"> & { identity: RequestIdentity };

/** @throws DomainError `destination_not_confirmed`, `destination_paused`, if the destination gets no such delivery. */
const requireReceiving = ({ status }: Pick<Destination, "status">, type: NotificationType): void => {
  if (status === "paused") throw new DomainError("destination_paused", "The destination is paused. Resume it first.");
  if (status === "unconfirmed" && type !== "destination.confirmation") {
    throw new DomainError(
      "destination_not_confirmed",
      "The recipient has not confirmed the e-mail address yet. To send the link again, PUT the destination with its address.",
    );
  }
};

type TestDependencies = {
  destinations: Pick<DestinationStore, "read">;
  window: TestWindowStore;
  handOver: HandOver;
  now: Clock;
};

/**
 * The returned function sends a sample. @throws DomainError as requireReceiving, `destination_not_found`, `too_many_tests`,
 * `store_unavailable`.
 */
export const createTestDestination =
  ({ destinations, window, handOver, now }: TestDependencies) =>
  async (id: string, { caller, identity: request }: Request): Promise<NotificationDelivery> => {
    const { organizationId, userId } = caller;
    const destination = await destinations.read(organizationId, id);
    if (destination === undefined) throw destinationNotFound();
    requireReceiving(destination, "notification.test");
    const deliveryId = eventId(request.at, identityOf("test", organizationId, id, request.id));
    const at = now();
    const fullUntil = await window.count(organizationId, deliveryId, at);
    if (fullUntil !== undefined) {
      throw new DomainError(
        "too_many_tests",
        `An organization sends at most ${MAX_TESTS_IN_WINDOW} samples a minute.`,
        {
          retryAfterSeconds: (fullUntil - at) / 1_000,
        },
      );
    }
    return handOver(
      { destinationId: id, deliveryId },
      {
        type: "notification.test",
        timestamp: request.at,
        organizationId,
        data: { destination: { id, name: destination.name } },
      },
      { requestedBy: userId },
    );
  };

type RetryDependencies = {
  destinations: Pick<DestinationStore, "read">;
  deliveries: Pick<NotificationDeliveryStore, "read" | "requeue" | "noteRetrySent" | "withdraw">;
  queue: DeliveryQueue;
  now: Clock;
};

/**
 * The returned function has a failed delivery tried again. @throws DomainError as requireReceiving, `delivery_not_found`,
 * `delivery_not_failed`, `store_unavailable`.
 */
export const createRetryDelivery = ({ destinations, deliveries, queue, now }: RetryDependencies) => {
  const notFound = () => new DomainError("delivery_not_found", "There is no such delivery.");

  const read = async (organizationId: string, ref: DeliveryRef): Promise<StoredDelivery> => {
    const stored = await deliveries.read(organizationId, ref, now());
    if (stored === undefined) throw notFound();
    return stored;
  };

  const notFailed = (status: "pending" | "delivered") =>
    new DomainError(
      "delivery_not_failed",
      status === "pending"
        ? "The delivery is still tried. Only a failed delivery can be retried."
        : "The delivery has arrived. Only a failed delivery can be retried.",
    );

  const requireFailed = ({ status }: StoredDelivery): void => {
    if (status !== "failed") throw notFailed(status);
  };

  const noteSent = async (organizationId: string, ref: DeliveryRef, retryId: string): Promise<void> => {
    // Without the note, another retry would send the message once more, and the sender tolerates that.
    await asSideWork(() => deliveries.noteRetrySent(organizationId, ref, retryId)).catch((error: unknown) => {
      writeLog("warn", "Noting the message of a retry failed", { cause: String(error) });
    });
  };

  const withdraw = async (organizationId: string, ref: DeliveryRef, retryId: string): Promise<void> => {
    // If the message has been handed over nevertheless, its sender finds a failed delivery and sends nothing.
    await asSideWork(() => deliveries.withdraw(organizationId, ref, { retryId, at: now() })).catch((error: unknown) => {
      writeLog("warn", "Taking a retry back failed", { cause: String(error) });
    });
  };

  return async (publicId: string, { caller, identity }: Request): Promise<NotificationDelivery> => {
    const { organizationId, userId } = caller;
    const ref = parsePublicDeliveryId(publicId);
    if (ref === undefined) throw notFound();
    const [destination, before] = await Promise.all([
      destinations.read(organizationId, ref.destinationId),
      read(organizationId, ref),
    ]);
    if (destination === undefined) throw notFound();
    // An earlier attempt of the same request may have changed the delivery, and not have handed it over. Another request may
    // have ended at the same place: then this one hands its retry over.
    const isUnsent = before.status === "pending" && before.isRetryUnsent === true;
    if (before.retryId !== identity.id) {
      if (!isUnsent) requireFailed(before);
      requireReceiving(destination, before.type);
      if (!isUnsent)
        await deliveries.requeue(organizationId, ref, { retryId: identity.id, at: identity.at, by: userId });
    }
    const stored = await read(organizationId, ref);
    const retryId = isUnsent ? before.retryId : identity.id;
    if (stored.retryId === undefined || stored.retryId !== retryId) throw notFailed("pending");
    if (stored.status !== "pending") return toNotificationDelivery(stored);
    if (!(await enqueue(queue, organizationId, ref))) {
      await withdraw(organizationId, ref, retryId);
      throw notHandedOver();
    }
    await noteSent(organizationId, ref, retryId);
    return toNotificationDelivery(stored);
  };
};
