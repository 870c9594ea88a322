import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { transactWithRetry } from "../runtime/conditional-write.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { readPages } from "../runtime/read-pages.ts";
import { organizationKey } from "../terms/keys.ts";
import { createUserMatcher } from "../terms/mentions-user.ts";
import type { Period } from "./period.ts";
import { createReportDueStore } from "./report-due-store.ts";
import { CONTENT_PREFIX, contentKey, ERASED_KEY, entryKey, periodOfKey, type ReportRef } from "./report-keys.ts";

const Content = z.object({ key: z.string(), report: z.string() });

const DELETED_AT_ONCE = 8;

export type EraseReportsStore = ReturnType<typeof createEraseReportsStore>;

/**
 * Erases reports. A report that was begun before an erasure is not stored afterwards (report-store.ts), but made again from
 * the remaining data. All calls are idempotent and throw DomainError `store_unavailable`.
 */
export const createEraseReportsStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const due = createReportDueStore(client, tableName);

  /** Entry and content are deleted together: a remaining entry would claim for ever that the report was made. */
  const deletionOf = (scope: string, report: ReportRef) =>
    [entryKey(report), contentKey(report)].map((key) => ({ Delete: { TableName: tableName, Key: { scope, key } } }));

  return {
    /** Prevents that reports which were begun before are stored. One write unit. */
    async invalidateBegun(organizationId: string): Promise<void> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { scope: organizationKey(organizationId), key: ERASED_KEY },
        // If an answer is lost, the SDK counts twice, which invalidates just as well.
        UpdateExpression: "ADD #times :one",
        ExpressionAttributeNames: { "#times": "times" },
        ExpressionAttributeValues: { ":one": 1 },
      });
      await callStore((options) => client.send(command, options));
    },

    /**
     * The reports in which a text mentions a user. Reads all reports: a read unit per 4 KB.
     * @param identifiers the user's id, and addresses of the user.
     */
    async reportsMentioning(organizationId: string, identifiers: readonly string[]): Promise<Period[]> {
      const pages = readPages(client, {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :content)",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":content": CONTENT_PREFIX },
        ConsistentRead: true,
      });
      const { mentions } = createUserMatcher(identifiers);
      const found: Period[] = [];
      for await (const page of pages) {
        for (const item of page) {
          const { key, report } = Content.parse(item);
          if (mentions(JSON.parse(report))) found.push(periodOfKey(key));
        }
      }
      return found;
    },

    /** Deletes reports, if they exist. Two write units for each KB of them. */
    deleteReports: (organizationId: string, reports: readonly ReportRef[]): Promise<void> =>
      inParallel(reports, DELETED_AT_ONCE, async (report) => {
        await transactWithRetry(client, deletionOf(organizationKey(organizationId), report));
      }),

    /**
     * Deletes reports and marks them as due in one transaction, so that none is lost. The next dispatch has each made again
     * from the remaining data, however old it is. @param now epoch ms.
     */
    replaceReports: (organizationId: string, periods: readonly Period[], now: number): Promise<void> =>
      inParallel(periods, DELETED_AT_ONCE, async (period) => {
        const scope = organizationKey(organizationId);
        const mark = { Put: { TableName: tableName, Item: due.itemOf(scope, period, now) } };
        await transactWithRetry(client, [...deletionOf(scope, period), mark]);
      }),
  };
};
