import * as z from "zod/mini";
import { getItem, putItem, type Table } from "../runtime/table.ts";

/** No organization's partition has the name. */
const KEY = { scope: "archive", period: "ended" } as const;

const Item = z.object({ hour: z.number() });

export type EndedHourStore = ReturnType<typeof createEndedHourStore>;

/** How far ended hours of the archive are deleted, in the table of the rollups. All calls throw `store_unavailable`. */
export const createEndedHourStore = (table: Table<"securityRollups">) => ({
  /** The first hour that is not deleted, epoch ms; undefined before the first run. One read unit. */
  async read(): Promise<number | undefined> {
    const item = await getItem(table, KEY);
    return item && Item.parse(item).hour;
  },

  /** One write unit. If two runs meet, both have deleted what either stores. */
  async store(hour: number): Promise<void> {
    await putItem(table, { ...KEY, hour });
  },
});
