/** What a change that silences a destination leaves, so that its alert is raised and sent even after a crash (silencing.ts). */
import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { Queue } from "../runtime/queue.ts";
import type { DeliveryMessage } from "./delivery.ts";
import type { DestinationStore } from "./destination-store.ts";
import { eventIdOfChange, titleOfChange, type UnrecordedChange, unrecordedChangeEvent } from "./notification-events.ts";
import { type FormerDestination, SILENCING_LIFE_MS, type Silencing, WATCH_AFTER_SECONDS } from "./silencing.ts";

/** The recipient who unsubscribed is not told: the silencing has no `former`. */
const newSilencing = ({ target, sealed }: FormerDestination, change: UnrecordedChange): Silencing => ({
  destinationId: change.destination.id,
  eventId: eventIdOfChange(change),
  title: titleOfChange(change),
  ...definedFields({ former: change.silenced === "unsubscribed" ? undefined : { target, sealed } }),
  ttl: Math.ceil((change.at + SILENCING_LIFE_MS) / 1_000),
});

/**
 * Called before a change is written: sends the message that has the change recorded if this instance dies.
 * @param before the destination before the change.
 * @returns what the write must store with the change; undefined if the change silences nothing.
 * @throws DomainError `store_unavailable` if the queue does not take the message.
 */
export type WatchChange = (
  organizationId: string,
  before: FormerDestination,
  change: UnrecordedChange,
) => Promise<Silencing | undefined>;

export const createWatchChange =
  (queue: Pick<Queue, "send">): WatchChange =>
  async (organizationId, before, change) => {
    if (change.silenced === undefined) return undefined;
    const silencing = newSilencing(before, change);
    const { destinationId, eventId: deliveryId } = silencing;
    const body = { organizationId, destinationId, deliveryId, isWatch: true } satisfies DeliveryMessage;
    const unsent = await queue.send([{ body, delaySeconds: WATCH_AFTER_SECONDS, group: organizationId }]);
    if (unsent.length === 0) return silencing;
    throw new DomainError("store_unavailable", "The change could not be handed over. Nothing has changed; try again.");
  };

type Dependencies = {
  destinations: Pick<DestinationStore, "readUnrecorded" | "forgetChange">;
  /** @throws Error if the bus did not take the event. */
  publish(event: ReturnType<typeof unrecordedChangeEvent>): Promise<void>;
};

/** Has a silencing change recorded that is not recorded yet. @throws Error or DomainError; the message then comes again. */
export const createRecordWatched =
  ({ destinations, publish }: Dependencies) =>
  async ({ organizationId, destinationId }: DeliveryMessage): Promise<void> => {
    const change = await destinations.readUnrecorded(organizationId, destinationId);
    if (change?.silenced === undefined) return;
    await publish(unrecordedChangeEvent(organizationId, change));
    await destinations.forgetChange(organizationId, change);
  };
