/** DELETE …/notifications/{id}: deletes a destination. Its deliveries expire. */
import type { Clock } from "../runtime/clock.ts";
import type { UserRequest } from "../terms/requester.ts";
import { destinationNotFound } from "./change-destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import type { RecordDestinationChange } from "./notification-events.ts";

/** The returned function throws DomainError `destination_not_found`, `store_unavailable`. */
export const createDeleteDestination =
  ({
    destinations,
    recordChange,
    now,
  }: {
    destinations: Pick<DestinationStore, "read" | "delete">;
    recordChange: RecordDestinationChange;
    now: Clock;
  }) =>
  async (id: string, by: UserRequest): Promise<void> => {
    const { organizationId } = by.caller;
    const destination = await destinations.read(organizationId, id);
    if (destination === undefined || !(await destinations.delete(organizationId, id))) throw destinationNotFound();
    await recordChange({ action: "delete_destination", destination, by, version: id, at: now() });
  };
