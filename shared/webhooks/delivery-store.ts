import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { getItem } from "../runtime/get-item.ts";
import { getItems } from "../runtime/get-items.ts";
import { queryFilteredPage } from "../runtime/query-page.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { WEBHOOKS_BY_RECEIPT } from "../terms/indexes.ts";
import { organizationKey } from "../terms/keys.ts";
import { type DeliveryPosition, type DeliveryStatus, outcomesOf, StoredDelivery, statusOf } from "./delivery.ts";
import { isEventId } from "./webhook-event.ts";
import { type EventKey, keyOf, pendingIndex } from "./webhook-event-store.ts";

/** Events without an outcome are `waiting` or `failed`, which only their items tell: a page may need several rounds. */
const MAX_ROUNDS = 10;

const Entry = z.object({ id: z.string(), receivedAt: z.number() });

/** The filter of the index for a status. It lets through all events without an outcome if the status stands for no outcome. */
const filterOf = (status: DeliveryStatus | undefined) => {
  if (status === undefined) return { names: {}, values: {} };
  const wanted = outcomesOf(status).map((outcome, i) => [`:outcome${i}`, outcome] as const);
  const condition =
    wanted.length === 0 ? "attribute_not_exists(#outcome)" : `#outcome IN (${wanted.map(([name]) => name).join(", ")})`;
  return { FilterExpression: condition, names: { "#outcome": "outcome" }, values: Object.fromEntries(wanted) };
};

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/** The stored events of an organization as deliveries. All calls throw DomainError `store_unavailable`. */
export const createDeliveryStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const update = async (key: EventKey, change: Update): Promise<boolean> => {
    const command = new UpdateCommand({ TableName: tableName, Key: keyOf(key), ...renderUpdate(change) });
    return (await conditionalWrite((options) => client.send(command, options))).written;
  };

  const readEntries = async (
    organizationId: string,
    {
      limit,
      after,
      status,
    }: { limit: number; after: DeliveryPosition | undefined; status: DeliveryStatus | undefined },
  ) => {
    const scope = organizationKey(organizationId);
    const { names, values, ...filter } = filterOf(status);
    const { items, last } = await queryFilteredPage(
      client,
      {
        TableName: tableName,
        IndexName: WEBHOOKS_BY_RECEIPT.name,
        KeyConditionExpression: "#scope = :scope",
        ...filter,
        ExpressionAttributeNames: { "#scope": "scope", ...names },
        ExpressionAttributeValues: { ":scope": scope, ...values },
        ScanIndexForward: false,
        ...(after && { ExclusiveStartKey: { scope, receivedAt: after.receivedAt, id: after.id } }),
      },
      limit,
    );
    return { entries: items.map((item) => Entry.parse(item)), last: last && Entry.parse(last) };
  };

  /** The events in the order of the keys, without those that have gone. */
  const readEvents = async (organizationId: string, entries: readonly DeliveryPosition[], now: number) => {
    const { items } = await getItems(
      client,
      tableName,
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
        const { entries, last } = await readEntries(organizationId, { limit, after, status });
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
      if (!isEventId(id)) return undefined;
      const item = await getItem(client, tableName, keyOf({ organizationId, id }));
      if (item === undefined) return undefined;
      const stored = StoredDelivery.parse(item);
      return stored.ttl * 1_000 > now ? stored : undefined;
    },

    /**
     * Puts an event without an outcome into the outbox. Two write units, one per KB more.
     * @param replay.previous the id of the replay before, as it was read.
     * @returns false if another replay came first, or the event has an outcome or has gone.
     */
    requeue: (
      key: EventKey,
      { replayId, at, previous }: { replayId: string; at: number; previous: string | undefined },
    ): Promise<boolean> =>
      update(key, {
        set: { replayId, replayedAt: at, [pendingIndex.partitionKey]: pendingIndex.shardOf(key.id) },
        remove: ["failedAt", "attempts"],
        condition: `attribute_exists(#id) AND attribute_not_exists(#outcome) AND ${
          previous === undefined ? "attribute_not_exists(#replayId)" : "#replayId = :previous"
        }`,
        values: definedFields({ previous }),
      }),

    /**
     * Takes a replay back that could not be published: the event has failed again.
     * @returns false if the event has an outcome, has gone, or belongs to another replay.
     */
    withdraw: (
      key: EventKey,
      { replayId, attempts, at }: { replayId: string; attempts: number | undefined; at: number },
    ) =>
      update(key, {
        set: { failedAt: at, ...definedFields({ attempts }) },
        remove: [pendingIndex.partitionKey, "replayId", "replayedAt"],
        condition: "#replayId = :replayId AND attribute_not_exists(#outcome)",
        values: { replayId },
      }),
  };
};
