/** What calls of DynamoDB and EventBridge take and cost, for stores that exist in memory only. */
import type { SimulatedTime } from "./simulated-time.ts";

/** Of a call, as assumed on the cost page. */
const CALL_MS = 5;
/** A page of a query, an eventually consistent read. */
const PAGE_BYTES = 1_048_576;
const PAGE_UNITS = PAGE_BYTES / 4_096 / 2;
const KEYS_A_BATCH = 100;
const BATCHES_AT_ONCE = 6;

export const createSimulatedStore = (time: SimulatedTime) => {
  const units = { read: 0, write: 0 };
  let events = 0;
  return {
    units,
    events: () => events,

    /** One call that reads and writes this many units. */
    async call({ read = 0, write = 0 }: { read?: number; write?: number }): Promise<void> {
      units.read += read;
      units.write += write;
      await time.sleep(CALL_MS);
    },

    /** The items of a query with pages of one megabyte. @param bytes of an item */
    async *list<Item>(count: number, bytes: number, itemAt: (index: number) => Item): AsyncGenerator<Item, void, void> {
      const size = Math.floor(PAGE_BYTES / bytes);
      for (let first = 0; first < count; first += size) {
        const end = Math.min(count, first + size);
        units.read += (PAGE_UNITS * (end - first)) / size;
        await time.sleep(CALL_MS);
        for (let index = first; index < end; index++) yield itemAt(index);
      }
    },

    /** Reads of single items in batches of 100, six at once. @param unitsEach of an item */
    async readBatches(keys: number, unitsEach: number): Promise<void> {
      units.read += keys * unitsEach;
      for (let left = Math.ceil(keys / KEYS_A_BATCH); left > 0; left -= BATCHES_AT_ONCE) await time.sleep(CALL_MS);
    },

    /** A call of PutEvents. */
    async publish(count: number): Promise<void> {
      events += count;
      await time.sleep(CALL_MS);
    },
  };
};
