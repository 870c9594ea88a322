import { newRequestToken } from "../runtime/ids.ts";
import { getItem, putItem, type Table, unchanged } from "../runtime/table.ts";
import { ActivityItem, activityKey } from "./activity-item.ts";

export type ActivityStore = ReturnType<typeof createActivityStore>;

/** How far each organization's account activity is read. Both calls throw DomainError `store_unavailable`. */
export const createActivityStore = (table: Table<"syncRuns">) => ({
  /** Reads strongly; undefined before the first read. One read unit per 4 KB. */
  async read(organizationId: string): Promise<ActivityItem | undefined> {
    const item = await getItem(table, activityKey(organizationId));
    return item && ActivityItem.parse(item);
  },

  /**
   * Replaces the item that was read. One write unit per KB.
   * @returns the item as it is stored; undefined if another worker came first.
   */
  async replace(
    organizationId: string,
    before: ActivityItem | undefined,
    after: Omit<ActivityItem, "token">,
  ): Promise<ActivityItem | undefined> {
    const item = { ...after, token: newRequestToken() };
    const stored = { ...activityKey(organizationId), ...item };
    const { written } = await putItem(table, stored, { ...unchanged("token", before?.token), own: "token" });
    return written ? item : undefined;
  },
});
