import { putItem, type Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { organizationKey } from "../terms/keys.ts";
import { ERASED_KEY, linkKey } from "./report-keys.ts";
import { erasedTimesOf } from "./report-store.ts";

export type ReportLinkStore = ReturnType<typeof createReportLinkStore>;

/** The links to an organization's reports; keys in report-keys.ts. All calls throw DomainError `store_unavailable`. */
export const createReportLinkStore = (table: Table<"reports">) => ({
  /** Stores that a link was created; one write unit. The same id again changes nothing. @param expiresAt epoch ms. */
  async put(organizationId: string, id: string, expiresAt: number): Promise<void> {
    const scope = organizationKey(organizationId);
    await putItem(table, { scope, key: linkKey(id), ttl: Math.ceil(expiresAt / 1_000) });
  },

  /** Whether a link was created, and how often the organization's reports were erased until now. Two read units. */
  async read(organizationId: string, id: string): Promise<{ isStored: boolean; erasedTimes: number }> {
    const scope = organizationKey(organizationId);
    const keys = [ERASED_KEY, linkKey(id)].map((key) => ({ scope, key }));
    const { items } = await getItems(table, keys, { isConsistent: true });
    const find = (key: string) => items.find((item) => item.key === key);
    return { isStored: find(linkKey(id)) !== undefined, erasedTimes: erasedTimesOf(find(ERASED_KEY)) };
  },
});
