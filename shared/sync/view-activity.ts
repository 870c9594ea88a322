/** What clients see of the reading of an account's activity: a field of GET …/connection. */
import * as z from "zod/mini";
import type { Connection } from "../connection/connection.ts";
import { definedFields } from "../json/defined-fields.ts";
import { getItem, type Table } from "../runtime/table.ts";
import { organizationKey } from "../terms/keys.ts";
import { ACTIVITY_KEY } from "./activity-key.ts";

/** What of the item clients see (activity-item.ts). */
const Shown = z.object({
  accountId: z.string(),
  readUntil: z.optional(z.number()),
  refused: z.optional(z.object({ reason: z.string() })),
});

/** One read unit per 4 KB. */
export const createShownActivityStore = (table: Table<"syncRuns">) => ({
  async read(organizationId: string): Promise<z.output<typeof Shown> | undefined> {
    const item = await getItem(table, { scope: organizationKey(organizationId), key: ACTIVITY_KEY });
    return item && Shown.parse(item);
  },
});

type Dependencies = {
  activity: ReturnType<typeof createShownActivityStore>;
  settings: { read(organizationId: string): Promise<{ accountActivity: boolean }> };
};

/** Two read units. The returned function throws DomainError `store_unavailable`. */
export const createViewActivity =
  ({ activity, settings }: Dependencies) =>
  async (organizationId: string, accountId: string): Promise<NonNullable<Connection["accountActivity"]>> => {
    const [item, { accountActivity }] = await Promise.all([
      activity.read(organizationId),
      settings.read(organizationId),
    ]);
    const { readUntil, refused } = item?.accountId === accountId ? item : {};
    if (!accountActivity) return { state: "off", ...definedFields({ readUntil }) };
    return {
      state: refused === undefined ? "on" : "not_available",
      ...definedFields({ reason: refused?.reason, readUntil }),
    };
  };
