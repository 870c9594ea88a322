import * as z from "zod/mini";
import type { RecordType } from "../records/record.ts";
import { getItem, putItem, type Table } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { DAY_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";

/** Far longer than any run; then the items expire. */
const KEPT_MS = 7 * DAY_MS;

const PAGE_DIGITS = 8;

/** The provider's ids do not contain it. */
const SEPARATOR = "\n";

const Page = z.object({ ids: z.string() });

/** A list of a run; `links` says which payments belong to which invoices (payment-links.ts). */
export type ListName = { organizationId: string; runId: string; type: RecordType | "links" };

export type PageIdStore = ReturnType<typeof createPageIdStore>;

/**
 * The ids on the pages of a full run's lists, for the comparison at its end: one item per page, beside the runs
 * (sync-item.ts), with the ids in one text. All calls throw DomainError `store_unavailable`.
 */
export const createPageIdStore = (table: Table<"syncRuns">) => {
  const keyOf = ({ organizationId, runId, type }: ListName, page?: number) => ({
    scope: organizationKey(organizationId),
    key: `page#${runId}#${type}#${page === undefined ? "" : String(page).padStart(PAGE_DIGITS, "0")}`,
  });
  const idsOf = (item: unknown): string[] => Page.parse(item).ids.split(SEPARATOR);

  return {
    /** Stores the ids of a page in place of those stored for it before; a write unit per KB. @param now epoch ms. */
    async put(list: ListName, page: number, ids: readonly string[], now: number): Promise<void> {
      if (ids.length === 0) return;
      const ttl = Math.floor((now + KEPT_MS) / 1_000);
      await putItem(table, { ...keyOf(list, page), ids: ids.join(SEPARATOR), ttl });
    },

    /** The ids of a page; one read unit per 4 KB. */
    async read(list: ListName, page: number): Promise<string[]> {
      const item = await getItem(table, keyOf(list, page));
      return item === undefined ? [] : idsOf(item);
    },

    /** The ids of all pages of a list, up to 1 MB at a time; one read unit per 4 KB. */
    async *readAll(list: ListName): AsyncGenerator<string[], void, void> {
      const { scope, key } = keyOf(list);
      const query = {
        where: "#scope = :scope AND begins_with(#key, :prefix)",
        values: { scope, prefix: key },
        isConsistent: true,
      };
      for await (const page of queryPages(table, query)) yield page.flatMap(idsOf);
    },
  };
};
