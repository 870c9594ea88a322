import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { getItem, type Table, unchanged, updateItem } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { queryFilteredPage } from "../runtime/table-query.ts";
import { isId } from "../terms/id.ts";
import { organizationKey } from "../terms/keys.ts";
import { WEBHOOKS_BY_RECEIPT } from "../terms/tables.ts";
import { type DeliveryPosition, type DeliveryStatus, outcomesOf, StoredDelivery, statusOf } from "./delivery.ts";
import { type EventKey, keyOf, pendingIndex } from "./webhook-event-store.ts";

/** Events without an outcome are `waiting` or `failed`, which only their items tell: a page may need several rounds. */
const MAX_ROUNDS = 10;

const Entry = z.object({ id: z.string(), receivedAt: z.number() });

/** The filter of the index for a status. It lets through all events without an outcome if the status stands for no outcome. */
const filterOf = (status: DeliveryStatus | undefined) => {
  if (status === undefined) return { values: {} };
  const wanted = outcomesOf(status);
  if (wanted.length === 0) return { filter: "attribute_not_exists(#outcome)", values: {} };
  const values = Object.fromEntries(wanted.map((outcome, i) => [`outcome${i}`, outcome]));
  return { filter: `#outcome IN (${Object.keys(values).map((name) => `:${name}`)})`, values };
};

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/** The stored events of an organization as deliveries. All calls throw DomainError `store_unavailable`. */
export const createDeliveryStore = (table: Table<"webhookEvents">) => {
  const readEntries = async (
    organizationId: string,
    limit: number,
    after: DeliveryPosition | undefined,
    status: DeliveryStatus | undefined,
  ) => {
    const scope = organizationKey(organizationId);
    const { filter, values } = filterOf(status);
    const query = {
      index: WEBHOOKS_BY_RECEIPT,
      where: "#scope = :scope",
      filter,
      values: { scope, ...values },
      isDescending: true,
      after: after && { scope, receivedAt: after.receivedAt, id: after.id },
    };
    const { items, last } = await queryFilteredPage(table, query, limit);
    return { entries: items.map((item) => Entry.parse(item)), last: last && Entry.parse(last) };
  };

  /** The events in the order of the keys, without those that have gone. */
  const readEvents = async (organizationId: string, entries: readonly DeliveryPosition[], now: number) => {
    const { items } = await getItems(
      table,
      entries.map(({ id }) => keyOf({ organizationId, id })),
    );
    const found = new Map(items.map((item) => StoredDelivery.parse(item)).map((stored) => [stored.id, stored]));
    return entries
      .map(({ id }) => found.get(id))
      .filter((stored) => stored !== undefined)
      .filter(({ ttl }) => ttl * 1_000 > now);
  };

  return {
    /**
     * A page of an organization's deliveries, newest first. Half a read unit per 8 KB of the index, and per 4 KB of each
     * delivery. May lag by a second. A page may be short, or even empty, with more to come.
     * @param page.now epoch ms.
     */
    async list(
      organizationId: string,
      page: { limit: number; after: DeliveryPosition | undefined; status?: DeliveryStatus | undefined; now: number },
    ): Promise<{ items: StoredDelivery[]; next: DeliveryPosition | undefined }> {
      const { limit, status, now } = page;
      const found: StoredDelivery[] = [];
      let { after } = page;
      for (let round = 0; round < MAX_ROUNDS && found.length < limit; round++) {
        const { entries, last } = await readEntries(organizationId, limit, after, status);
        const stored = await readEvents(organizationId, entries, now);
        found.push(...stored.filter((one) => status === undefined || statusOf(one, now) === status));
        after = last;
        if (last === undefined) break;
      }
      if (found.length <= limit) return { items: found, next: after };
      const items = found.slice(0, limit);
      return { items, next: items.at(-1) };
    },

    /** Reads strongly: one read unit per 4 KB. Undefined if the event does not exist, or no longer. @param now epoch ms. */
    async read({ organizationId, id }: EventKey, now: number): Promise<StoredDelivery | undefined> {
      // The item that records gaps is no event.
      if (!isId(id)) return undefined;
      const item = await getItem(table, keyOf({ organizationId, id }));
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
      const { written } = await updateItem(table, keyOf(key), {
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
      const { written } = await updateItem(table, keyOf(key), {
        set: { failedAt: at, ...definedFields({ attempts }) },
        remove: [pendingIndex.partitionKey, "replayId", "replayedAt"],
        condition: "#replayId = :replayId AND attribute_not_exists(#outcome)",
        values: { replayId },
      });
      return written;
    },
  };
};
