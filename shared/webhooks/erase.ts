/** What an erasure does to the stored webhook events: all are deleted. They contain no users. */
import { type DataLocation, deletedLocation, type Partition, pagesOf } from "../work/location.ts";

/** A location for each partition of an organization's events. */
export const allWebhookEvents = (partitions: readonly Partition[]): DataLocation[] =>
  partitions.map((partition, i) =>
    deletedLocation({ name: i === 0 ? "webhookEvents" : `webhookEvents${i}`, counter: "webhookEvents" }, partition),
  );

/** Whether webhook events are stored that may still be processed. Reads each partition up to the first one. */
export const hasPendingWebhooks = async (partitions: readonly Pick<Partition, "read">[]): Promise<boolean> => {
  // The item that records gaps has no type.
  const filter = { condition: "attribute_not_exists(#processedAt) AND attribute_exists(#type)", values: {} };
  for (const partition of partitions)
    for await (const items of pagesOf(partition, { attributes: [], filter })) if (items.length > 0) return true;
  return false;
};
