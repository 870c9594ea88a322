import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import type { RecordType } from "../records/record.ts";
import { callStore } from "../runtime/call-store.ts";
import { getItem } from "../runtime/get-item.ts";
import { readPages } from "../runtime/read-pages.ts";
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
export const createPageIdStore = (client: DynamoDBDocumentClient, tableName: string) => {
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
      const Item = { ...keyOf(list, page), ids: ids.join(SEPARATOR), ttl };
      await callStore((options) => client.send(new PutCommand({ TableName: tableName, Item }), options));
    },

    /** The ids of a page; one read unit per 4 KB. */
    async read(list: ListName, page: number): Promise<string[]> {
      const item = await getItem(client, tableName, keyOf(list, page));
      return item === undefined ? [] : idsOf(item);
    },

    /** The ids of all pages of a list, up to 1 MB at a time; one read unit per 4 KB. */
    async *readAll(list: ListName): AsyncGenerator<string[], void, void> {
      const { scope, key } = keyOf(list);
      const query = {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :prefix)",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": scope, ":prefix": key },
        ConsistentRead: true,
      };
      for await (const page of readPages(client, query)) yield page.flatMap(idsOf);
    },
  };
};
