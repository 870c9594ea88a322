/** GET …/notifications/{id}/deliveries. */
import type { Clock } from "../runtime/clock.ts";
import { destinationNotFound } from "./change-destination.ts";
import { parsePublicDeliveryId, toNotificationDelivery } from "./delivery.ts";
import type { NotificationDeliveryStore } from "./delivery-store.ts";
import type { DestinationStore } from "./destination-store.ts";

/** The returned function throws DomainError `destination_not_found`, `store_unavailable`. `after`: the last one's public id. */
export const createListDeliveries =
  ({
    destinations,
    deliveries,
    now,
  }: {
    destinations: Pick<DestinationStore, "read">;
    deliveries: Pick<NotificationDeliveryStore, "list">;
    now: Clock;
  }) =>
  async (
    organizationId: string,
    id: string,
    { limit, after }: { limit: number; after: { id: string } | undefined },
  ) => {
    if ((await destinations.read(organizationId, id)) === undefined) throw destinationNotFound();
    const start = after && parsePublicDeliveryId(after.id)?.deliveryId;
    const { items, next } = await deliveries.list(organizationId, id, { limit, after: start, now: now() });
    return { items: items.map(toNotificationDelivery), next: next === undefined ? undefined : { id: `${id}.${next}` } };
  };
