/** What clients see of the reading of an account's activity: a field of GET …/connection. */
import type { Connection } from "../connection/connection.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { ActivityStore } from "./activity-store.ts";

type Dependencies = {
  activity: Pick<ActivityStore, "read">;
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
