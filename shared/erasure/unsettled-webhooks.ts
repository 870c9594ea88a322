import type { Partition } from "./partition-store.ts";

/** Whether webhooks are stored whose processing is not known to be over. It reads the partition up to the first one. */
export const hasUnsettled = async (webhookEvents: Pick<Partition, "read">): Promise<boolean> => {
  // The item that remembers gaps is no event.
  const filter = { condition: "attribute_not_exists(#processedAt) AND attribute_exists(#type)", values: {} };
  let after: string | undefined;
  do {
    const { items, next } = await webhookEvents.read(after, { attributes: [], filter });
    if (items.length > 0) return true;
    after = next;
  } while (after !== undefined);
  return false;
};
