/**
 * The partitions of an organization's webhook events. A partition takes 1,000 write units a second, and its sort keys
 * grow with time, so DynamoDB cannot split it: an event with its publication and its outcome takes 3 of them. So an
 * organization has four partitions, and an event's id says which one is its own: about 1,300 events a second. The index
 * byReceipt has the same partitions.
 *
 * Earlier versions stored all events in the first partition. They are found there until they expire, after 30 days.
 */
import { getItem, type Table, type Update, updateItem, type WriteResult } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import type { Item } from "../runtime/table-expressions.ts";
import { organizationKey, partKey, shardOf } from "../terms/keys.ts";
import type { TableKey } from "../terms/tables.ts";

type EventTable = Table<"webhookEvents">;

/** Identifies an event of an organization. */
export type EventKey = { organizationId: string; id: string };

const PARTITIONS = 4;

/** The key of a partition. The first one is the organization's, which also has the item that records gaps. */
const partitionKey = (organizationId: string, partition: number): string => {
  const scope = organizationKey(organizationId);
  return partition === 0 ? scope : partKey(scope, String(partition));
};

/** The keys of all partitions of an organization. */
export const eventPartitions = (organizationId: string): string[] =>
  Array.from({ length: PARTITIONS }, (_, partition) => partitionKey(organizationId, partition));

/** The key of an event's item. */
export const keyOf = ({ organizationId, id }: EventKey): TableKey<"webhookEvents"> => ({
  scope: partitionKey(organizationId, shardOf(id, PARTITIONS)),
  id,
});

/** Where an earlier version stored the event; undefined if its partition is still the same. */
export const earlierKeyOf = ({ organizationId, id }: EventKey): TableKey<"webhookEvents"> | undefined =>
  shardOf(id, PARTITIONS) === 0 ? undefined : { scope: partitionKey(organizationId, 0), id };

/** Reads strongly: one read unit per 4 KB, and one more for an event that does not exist. */
export const getEvent = async (table: EventTable, key: EventKey): Promise<Item | undefined> => {
  const item = await getItem(table, keyOf(key));
  const earlier = earlierKeyOf(key);
  return item ?? (earlier && getItem(table, earlier));
};

/** Changes an event's item in the partition that has it. The condition must refuse an item that does not exist. */
export const updateEvent = async (table: EventTable, key: EventKey, update: Update): Promise<WriteResult> => {
  const result = await updateItem(table, keyOf(key), update);
  const earlier = earlierKeyOf(key);
  return result.written || result.item !== undefined || earlier === undefined
    ? result
    : updateItem(table, earlier, update);
};

/** Attributes of existing events, in no order. Half a read unit per 4 KB of each, and two halves for each that does not exist. */
export const getEvents = async (
  table: EventTable,
  organizationId: string,
  ids: readonly string[],
  attributes: readonly string[],
): Promise<Item[]> => {
  const keys = ids.map((id) => ({ organizationId, id }));
  const { items } = await getItems(table, keys.map(keyOf), { attributes });
  const found = new Set(items.map(({ id }) => id));
  const earlier = keys.filter(({ id }) => !found.has(id)).flatMap((key) => earlierKeyOf(key) ?? []);
  const { items: earlierItems } = await getItems(table, earlier, { attributes });
  return [...items, ...earlierItems];
};
