import * as z from "zod/mini";
import { getItem, putItem, type Table, unchanged } from "../runtime/table.ts";

/** One item beside the organizations' (sync-item.ts); no organization has this scope. */
const KEY = { scope: "#schedule", key: "occurrence" };

/**
 * The last occurrence of the schedule of syncs, epoch ms. `assumedAt`: when the hourly search concluded that the
 * occurrence was lost. `isStart`: no occurrence yet, only the time from which the next one is expected.
 */
const Occurrence = z.object({
  slot: z.number(),
  assumedAt: z.optional(z.number()),
  isStart: z.optional(z.boolean()),
});
export type Occurrence = z.output<typeof Occurrence>;

export type OccurrenceStore = ReturnType<typeof createOccurrenceStore>;

/** Both calls throw DomainError `store_unavailable`. */
export const createOccurrenceStore = (table: Table<"syncRuns">) => ({
  /** A strongly consistent read: one read unit. */
  async read(): Promise<Occurrence | undefined> {
    const item = await getItem(table, KEY);
    return item && Occurrence.parse(item);
  },

  /** Replaces the occurrence that was read; one write unit. @returns false if another one was stored since. */
  async replace(next: Occurrence, previous: Occurrence | undefined): Promise<boolean> {
    return (await putItem(table, { ...next, ...KEY }, unchanged("slot", previous?.slot))).written;
  },
});
