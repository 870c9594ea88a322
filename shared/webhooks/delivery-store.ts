import { definedFields } from "../json/defined-fields.ts";
import { type Table, unchanged } from "../runtime/table.ts";
import { isId } from "../terms/id.ts";
import { StoredDelivery } from "./delivery.ts";
import { type EventKey, getEvent, updateEvent } from "./event-partitions.ts";
import { pendingIndex } from "./webhook-event-store.ts";

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/** Reads and replays of a single delivery. delivery-list-store.ts lists them. All calls throw DomainError `store_unavailable`. */
export const createDeliveryStore = (table: Table<"webhookEvents">) => ({
  /** Reads strongly: one read unit per 4 KB. Undefined if the event does not exist, or no longer. @param now epoch ms. */
  async read({ organizationId, id }: EventKey, now: number): Promise<StoredDelivery | undefined> {
    // The item that records gaps is no event.
    if (!isId(id)) return undefined;
    const item = await getEvent(table, { organizationId, id });
    if (item === undefined) return undefined;
    const stored = StoredDelivery.parse(item);
    return stored.ttl * 1_000 > now ? stored : undefined;
  },

  /**
   * Puts an event without an outcome into the outbox. Two write units, one per KB more.
   * @param replay.previous the id of the replay before, as it was read.
   * @returns false if another replay came first, or the event has an outcome or has gone.
   */
  async requeue(
    key: EventKey,
    { replayId, at, previous }: { replayId: string; at: number; previous: string | undefined },
  ): Promise<boolean> {
    const isSame = unchanged("replayId", previous);
    const { written } = await updateEvent(table, key, {
      set: { replayId, replayedAt: at, [pendingIndex.partitionKey]: pendingIndex.shardOf(key.id) },
      remove: ["failedAt", "attempts"],
      condition: `attribute_exists(#id) AND attribute_not_exists(#outcome) AND ${isSame.condition}`,
      values: isSame.values,
    });
    return written;
  },

  /**
   * Takes a replay back that could not be published: the event has failed again.
   * @returns false if the event has an outcome, has gone, or belongs to another replay.
   */
  async withdraw(
    key: EventKey,
    { replayId, attempts, at }: { replayId: string; attempts: number | undefined; at: number },
  ): Promise<boolean> {
    const { written } = await updateEvent(table, key, {
      set: { failedAt: at, ...definedFields({ attempts }) },
      remove: [pendingIndex.partitionKey, "replayId", "replayedAt"],
      condition: "#replayId = :replayId AND attribute_not_exists(#outcome)",
      values: { replayId },
    });
    return written;
  },
});
