import * as z from "zod/mini";
import { newRequestToken } from "../runtime/ids.ts";
import { getItem, type Table, type Update, updateItem } from "../runtime/table.ts";

/** One item in the circuits' table. No circuit has this key. */
const OUTAGE_KEY = { id: "outage" };

const OutageItem = z.object({
  since: z.optional(z.number()),
  recordedAt: z.optional(z.number()),
  countedAt: z.optional(z.number()),
});

/** The current outage, and whether its event is recorded. Times in epoch ms. */
export type Outage = { since: number; isRecorded: boolean };

export type OutageStore = ReturnType<typeof createOutageStore>;

/** The current outage of all circuits. All calls throw DomainError `store_unavailable` if the table does not answer. */
export const createOutageStore = (table: Table<"circuits">) => {
  /** A failed condition means that another instance did the same first. */
  const update = async (change: Update): Promise<void> => {
    await updateItem(table, OUTAGE_KEY, change);
  };
  const isSame = ({ since }: Outage) => ({ condition: "#since = :since", values: { since } });

  return {
    /**
     * Read strongly consistent: one read unit. `countedAt`: when the circuits were last counted, epoch ms; only while many
     * are not closed.
     */
    async read(): Promise<{ outage?: Outage; countedAt?: number }> {
      const { since, recordedAt, countedAt } = OutageItem.parse((await getItem(table, OUTAGE_KEY)) ?? {});
      return {
        ...(since !== undefined && { outage: { since, isRecorded: recordedAt !== undefined } }),
        ...(countedAt !== undefined && { countedAt }),
      };
    },

    /**
     * Lets one of all instances count; one write unit.
     * @param countedAt as read.
     * @returns false if another instance has claimed the count since.
     */
    async claimCount(now: number, countedAt: number | undefined): Promise<boolean> {
      const isUnclaimed =
        countedAt === undefined
          ? { condition: "attribute_not_exists(#countedAt)" }
          : { condition: "#countedAt = :countedAt", values: { countedAt } };
      const set = { countedAt: now, countToken: newRequestToken() };
      return (await updateItem(table, OUTAGE_KEY, { set, own: "countToken", ...isUnclaimed })).written;
    },

    /** Ends the counting at intervals, unless another instance has claimed a count since. @param countedAt as claimed. */
    countAlways: (countedAt: number): Promise<void> =>
      update({ remove: ["countedAt", "countToken"], condition: "#countedAt = :countedAt", values: { countedAt } }),

    begin: (now: number): Promise<void> =>
      update({ set: { since: now }, remove: ["recordedAt"], condition: "attribute_not_exists(#since)" }),

    markRecorded: (outage: Outage, now: number): Promise<void> =>
      update({ set: { recordedAt: now }, ...isSame(outage) }),

    end: (outage: Outage): Promise<void> => update({ remove: ["since", "recordedAt"], ...isSame(outage) }),
  };
};
