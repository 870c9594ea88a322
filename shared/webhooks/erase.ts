/** What an erasure does to the stored webhook events: all are deleted. They contain no users. */
import { type DataLocation, deletedLocation, type Partition, pagesOf } from "../work/location.ts";

export const allWebhookEvents = (webhookEvents: Partition): DataLocation =>
  deletedLocation({ name: "webhookEvents", counter: "webhookEvents" }, webhookEvents);

/** Whether webhook events are stored that may still be processed. Reads the partition up to the first one. */
export const hasPendingWebhooks = async (webhookEvents: Pick<Partition, "read">): Promise<boolean> => {
  // The item that records gaps has no type.
  const filter = { condition: "attribute_not_exists(#processedAt) AND attribute_exists(#type)", values: {} };
  for await (const items of pagesOf(webhookEvents, { attributes: [], filter })) if (items.length > 0) return true;
  return false;
};
