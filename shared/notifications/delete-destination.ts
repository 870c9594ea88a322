/** DELETE …/notifications/{id}: deletes a destination. Its deliveries expire. */
import type { Clock } from "../runtime/clock.ts";
import type { UserRequest } from "../terms/requester.ts";
import { destinationNotFound } from "./change-destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import { changeOf, type RecordDestinationChange } from "./notification-events.ts";
import type { WatchChange } from "./watch-change.ts";

/** The returned function throws DomainError `destination_not_found`, `store_unavailable`. */
export const createDeleteDestination =
  ({
    destinations,
    recordChange,
    watchChange,
    now,
  }: {
    destinations: Pick<DestinationStore, "read" | "delete" | "listDeletions">;
    recordChange: RecordDestinationChange;
    watchChange: WatchChange;
    now: Clock;
  }) =>
  async (id: string, by: UserRequest): Promise<void> => {
    const { organizationId } = by.caller;
    for (const deletion of await destinations.listDeletions(organizationId))
      await recordChange(organizationId, deletion);
    const destination = await destinations.read(organizationId, id);
    if (destination === undefined) throw destinationNotFound();
    await recordChange(organizationId, destination.change);
    const change = changeOf(destination, by, {
      action: "delete_destination",
      version: id,
      at: now(),
      ...(destination.status === "active" && { silenced: "deleted" }),
    });
    const silencing = await watchChange(organizationId, destination, change);
    if (!(await destinations.delete(organizationId, id, change, silencing))) throw destinationNotFound();
    await recordChange(organizationId, change);
  };
