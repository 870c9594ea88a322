import * as z from "zod/mini";
import { MoneyFact } from "../provider/money-fact.ts";
import { SetAside } from "../records/set-aside.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { getItem, type Item, putItem, type Table, type Update, updateItem } from "../runtime/table.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { PENDING_WEBHOOKS } from "../terms/tables.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { listWaiting } from "../work/sharded-index-store.ts";
import { type EventKey, earlierKeyOf, getEvent, getEvents, keyOf, updateEvent } from "./event-partitions.ts";
import { decodeObservations, encodeObservations, type Outcome, outcomes, type WebhookEvent } from "./webhook-event.ts";

/** The provider repeats a delivery for days, and its feed lists an event for 30. */
const KEPT_SECONDS = 30 * 86_400;

/** The outbox: events that are not known to be published. `shardOf` is of the event's id. */
export const pendingIndex = defineShardedIndex(PENDING_WEBHOOKS, { count: 16, prefix: "pending#" });

/**
 * One item per event: partition key `scope` (event-partitions.ts), sort key `id` (the provider's). `observations` is
 * JSON; `token` identifies the request that stored the event; `ttl` is in epoch seconds. The item has `pendingShard`, and is in
 * the index byPending (with `receivedAt`), while it is not known to be published. It is in the index byReceipt from the
 * start. delivery.ts has the attributes that only lists and replays need.
 */
const WebhookEventItem = z.object({
  id: z.string(),
  type: z.string(),
  createdSeconds: z.number(),
  objectId: z.exactOptional(z.string()),
  observations: z.pipe(z.string(), z.transform(decodeObservations)),
  setAside: z.exactOptional(z.array(SetAside)),
  isDeauthorization: z.boolean(),
  money: z.exactOptional(MoneyFact),
  connectionId: z.string(),
  accountId: z.string(),
  receivedAt: z.number(),
  processedAt: z.exactOptional(z.number()),
  outcome: z.exactOptional(z.enum(outcomes)),
  ttl: z.number(),
});

const PendingKey = z.object({ scope: z.string(), id: z.string() });
const DeliveredItem = z.object({ id: z.string(), outcome: z.optional(z.string()) });

/** The provider repeats a delivery after longer; an event that arrives later costs one read more. */
const REPEATED_AFTER_MS = 30_000;

/** `new`: the event was not stored before; `pending`: it is in the outbox; `done`: it is published or processed. */
export type Added = "new" | "pending" | "done";

/** What the item of an event says that was stored before. */
const addedBefore = (item: Item | undefined): Added => (item?.pendingShard === undefined ? "done" : "pending");

/** What an ended try leaves. `changed`: records, by changeName. `failure`: why an object was set aside, redacted. */
export type ProcessedDetails = { attempts?: number; changed?: readonly string[]; failure?: string };

/** A failed try. `attempts`: its number. `reason` is redacted. `isLast`: no other try follows. */
export type FailedTry = { attempts: number; at: number; reason: string; isLast: boolean };

export type WebhookEventStore = ReturnType<typeof createWebhookEventStore>;

/** The events that webhooks delivered, kept 30 days. All calls throw DomainError `store_unavailable`. */
export const createWebhookEventStore = (table: Table<"webhookEvents">) => {
  /** Changes an event that still exists: an event that was erased since it was read must not come back. */
  const change = async (
    key: EventKey,
    set: NonNullable<Update["set"]>,
    remove: readonly string[] = [pendingIndex.partitionKey],
    condition = "attribute_exists(#id)",
  ): Promise<void> => {
    await updateEvent(table, key, { set, remove, condition });
  };

  /**
   * An event that an earlier version may have stored in another partition. Such an event arrives again, so long after its
   * creation: the provider waits between its deliveries.
   */
  const findEarlier = async (
    key: EventKey,
    { createdSeconds, receivedAt }: WebhookEvent,
  ): Promise<Item | undefined> => {
    const earlier = earlierKeyOf(key);
    if (earlier === undefined || receivedAt < createdSeconds * 1_000 + REPEATED_AFTER_MS) return undefined;
    const item = await getItem(table, earlier, { attributes: ["ttl", pendingIndex.partitionKey] });
    return item !== undefined && Number(item.ttl) * 1_000 > receivedAt ? item : undefined;
  };

  return {
    /**
     * Stores an event once; one write unit per KB, and twice that if it is to be published; and a read unit if it arrives
     * late. An event that has an outcome already needs no publication.
     */
    async add(organizationId: string, event: WebhookEvent): Promise<Added> {
      const { id, receivedAt, observations, outcome } = event;
      const earlier = await findEarlier({ organizationId, id }, event);
      if (earlier !== undefined) return addedBefore(earlier);
      const seconds = Math.floor(receivedAt / 1_000);
      const { written, item } = await putItem(
        table,
        {
          ...event,
          ...keyOf({ organizationId, id }),
          observations: encodeObservations(observations),
          ...(outcome === undefined && { [pendingIndex.partitionKey]: pendingIndex.shardOf(id) }),
          token: newRequestToken(),
          ttl: seconds + KEPT_SECONDS,
        },
        { condition: "attribute_not_exists(#id) OR #ttl <= :seconds", values: { seconds }, own: "token" },
      );
      return written ? "new" : addedBefore(item);
    },

    /** The event; undefined if it does not exist, or no longer. @param now epoch ms. */
    async read(organizationId: string, id: string, now: number): Promise<WebhookEvent | undefined> {
      const item = await getEvent(table, { organizationId, id });
      if (item === undefined) return undefined;
      const { ttl, ...event } = WebhookEventItem.parse(item);
      return ttl * 1_000 <= now ? undefined : event;
    },

    /** Removes an event from the outbox; one write unit per KB of it, and one for the index. */
    markPublished: (key: EventKey, at: number): Promise<void> => change(key, { handedOverAt: at }),

    /** Stores an event's outcome, and removes it from the outbox in case its mark was lost; one write unit more for an index. */
    markProcessed: (key: EventKey, outcome: Outcome, at: number, details: ProcessedDetails = {}): Promise<void> =>
      change(key, { processedAt: at, outcome, ...details }, [
        pendingIndex.partitionKey,
        "attemptedAt",
        "failedAt",
        ...(details.failure === undefined ? ["failure"] : []),
      ]),

    /** Stores a failed try of an event that has no outcome; one write unit per KB of the event. */
    async noteFailure(key: EventKey, { attempts, at, reason, isLast }: FailedTry): Promise<void> {
      const set = { attempts, attemptedAt: at, failure: reason, ...(isLast && { failedAt: at }) };
      const remove = isLast ? [] : ["failedAt"];
      await change(key, set, remove, "attribute_exists(#id) AND attribute_not_exists(#outcome)");
    },

    /**
     * The events in the outbox, each shard's oldest first; at most `limit` of each of the 16 shards. Half a read unit for
     * each shard. May lag by a second.
     * @param before epoch ms: only events that were received earlier.
     */
    async listPending({ before, limit }: { before: number; limit: number }): Promise<EventKey[]> {
      const waiting = await listWaiting(table, pendingIndex, { before, limit });
      return waiting.map((item) => {
        const { scope, id } = PendingKey.parse(item);
        return { organizationId: organizationIdOf(scope), id };
      });
    },
  };
};

/** No event has this id. */
const GAP = "#gap";

/** At most one run per organization and hour is started for missing events. */
const GAP_INTERVAL_MS = 3_600_000;

export type GapStore = ReturnType<typeof createGapStore>;

/** The item `#gap` beside an organization's events: the late event that last started a run. `askedAt` is epoch ms. */
export const createGapStore = (table: Table<"webhookEvents">) => ({
  /**
   * Whether a late event may start a run, because it is the first of its hour. The same event may again, because its
   * processing may have crashed before the run began. One write unit.
   * @throws DomainError `store_unavailable`.
   */
  async mayStartRun({ organizationId, id }: EventKey, now: number): Promise<boolean> {
    const gapKey = { scope: organizationKey(organizationId), id: GAP };
    const { written } = await updateItem(table, gapKey, {
      set: { askedAt: now, eventId: id, ttl: Math.ceil((now + 2 * GAP_INTERVAL_MS) / 1_000) },
      condition: "attribute_not_exists(#askedAt) OR #askedAt <= :before OR #eventId = :own",
      values: { before: now - GAP_INTERVAL_MS, own: id },
    });
    return written;
  },
});

export type DeliveredEvents = ReturnType<typeof createDeliveredEvents>;

/** Which events of the feed a sync run need not apply. */
export const createDeliveredEvents = (table: Table<"webhookEvents">) => ({
  /**
   * The events that a webhook delivered and that are applied to the records, or whose objects are set aside. Events that
   * are not processed yet, or could not be, are left out. Half a read unit per 4 KB of each; may lag by a second.
   * @throws DomainError `store_unavailable`.
   */
  async delivered(organizationId: string, eventIds: readonly string[]): Promise<Set<string>> {
    const items = await getEvents(table, organizationId, [...new Set(eventIds)], ["id", "outcome"]);
    const settled: readonly (string | undefined)[] = ["applied", "set_aside"] satisfies Outcome[];
    const found = items.map((item) => DeliveredItem.parse(item)).filter(({ outcome }) => settled.includes(outcome));
    return new Set(found.map(({ id }) => id));
  },
});
