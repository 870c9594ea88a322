import * as z from "zod/mini";
import { getItem, type Table, type Update, updateItem } from "../runtime/table.ts";

/** One item in the circuits' table. No circuit has this key. */
const OUTAGE_KEY = { id: "outage" };

const OutageItem = z.object({ since: z.optional(z.number()), recordedAt: z.optional(z.number()) });

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
    /** Read strongly consistent; undefined if there is no outage. */
    async read(): Promise<Outage | undefined> {
      const { since, recordedAt } = OutageItem.parse((await getItem(table, OUTAGE_KEY)) ?? {});
      return since === undefined ? undefined : { since, isRecorded: recordedAt !== undefined };
    },

    begin: (now: number): Promise<void> =>
      update({ set: { since: now }, remove: ["recordedAt"], condition: "attribute_not_exists(#since)" }),

    markRecorded: (outage: Outage, now: number): Promise<void> =>
      update({ set: { recordedAt: now }, ...isSame(outage) }),

    end: (outage: Outage): Promise<void> => update({ remove: ["since", "recordedAt"], ...isSame(outage) }),
  };
};
