import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { queryPage } from "../runtime/query-page.ts";
import { DAY_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { periodOf, type ReportKind, reportKinds } from "./period.ts";
import { ReportEntry, type ReportPosition } from "./report.ts";
import { entryKey, kindPrefix } from "./report-keys.ts";

const EntryItem = z.extend(ReportEntry, { ttl: z.number() });

/** Latest end first; of two that end together the one made last. */
const compare = (a: ReportPosition, b: ReportPosition): number =>
  b.to - a.to || b.createdAt - a.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The greatest and the least key of a kind among those that end up to a time; `$` follows `#`. */
const boundsOf = (kind: ReportKind, after: ReportPosition | undefined) => ({
  ":first": kindPrefix(kind),
  ":last": after === undefined ? `${kind}$` : entryKey(periodOf(kind, after.to - DAY_MS)),
});

export type ReportListStore = ReturnType<typeof createReportListStore>;

/** The lists of reports; what they say is in report-store.ts. */
export const createReportListStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const readKind = async (scope: string, kind: ReportKind, limit: number, after: ReportPosition | undefined) => {
    const query = {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #key BETWEEN :first AND :last",
      ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
      ExpressionAttributeValues: { ":scope": scope, ...boundsOf(kind, after) },
      ScanIndexForward: false,
      ConsistentRead: true,
    };
    // One more, as the first may have been on the page before.
    const { items } = await queryPage(client, query, limit + 2);
    return items.map((item) => EntryItem.parse(item));
  };

  return {
    /**
     * A page of an organization's reports, the latest period first; a read unit per 4 KB of entries, of which one has
     * about 150 bytes.
     * @param page.now epoch ms; what has expired by then is left out.
     * @throws DomainError `store_unavailable`.
     */
    async list(
      organizationId: string,
      { limit, after, now }: { limit: number; after: ReportPosition | undefined; now: number },
    ): Promise<{ items: ReportEntry[]; next: ReportPosition | undefined }> {
      const scope = organizationKey(organizationId);
      const byKind = await Promise.all(reportKinds.map((kind) => readKind(scope, kind, limit, after)));
      const found = byKind
        .flat()
        .filter((entry) => entry.ttl * 1_000 > now && (after === undefined || compare(after, entry) < 0))
        .sort(compare);
      const items = found.slice(0, limit).map((entry) => ReportEntry.parse(entry));
      const last = items.at(-1);
      if (found.length <= limit || last === undefined) return { items, next: undefined };
      const { id, to, createdAt } = last;
      return { items, next: { id, to, createdAt } };
    },
  };
};
