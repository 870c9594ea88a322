import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { readPages } from "../runtime/read-pages.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { organizationKey } from "../terms/keys.ts";
import { createUserMatcher } from "../terms/mentions-user.ts";
import type { Period } from "./period.ts";
import { dueItem } from "./report-due-store.ts";
import { CONTENT_PREFIX, contentKey, ERASED_KEY, entryKey, periodOfKey, type ReportRef } from "./report-keys.ts";

const Content = z.object({ key: z.string(), report: z.string() });

const DELETED_AT_ONCE = 8;
const CONFLICT_ATTEMPTS = 5;

export type EraseReportsStore = ReturnType<typeof createEraseReportsStore>;

/**
 * How reports are erased. A report that was begun before an erasure is not stored afterwards (report-store.ts), but made anew
 * from what is left. All calls throw DomainError `store_unavailable`, and may then be made again.
 */
export const createEraseReportsStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const transact = async (items: TransactWriteCommandInput["TransactItems"]): Promise<void> => {
    for (let attempts = 0; ; attempts++) {
      const command = new TransactWriteCommand({ ClientRequestToken: newRequestToken(), TransactItems: items });
      try {
        await callStore((options) => client.send(command, options));
        return;
      } catch (error) {
        // Somebody else's transaction held one of the items.
        if (!(error instanceof TransactionCanceledException) || attempts === CONFLICT_ATTEMPTS) throw error;
        await pauseBeforeRetry(attempts);
      }
    }
  };

  /** Entry and content go together: one without the other would say for ever that the report was made. */
  const deletionOf = (scope: string, report: ReportRef) =>
    [entryKey(report), contentKey(report)].map((key) => ({ Delete: { TableName: tableName, Key: { scope, key } } }));

  return {
    /** From now on nothing is stored that was begun before. One write unit. */
    async invalidateBegun(organizationId: string): Promise<void> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { scope: organizationKey(organizationId), key: ERASED_KEY },
        // Counting twice, where an answer was lost, invalidates no less.
        UpdateExpression: "ADD #times :one",
        ExpressionAttributeNames: { "#times": "times" },
        ExpressionAttributeValues: { ":one": 1 },
      });
      await callStore((options) => client.send(command, options));
    },

    /**
     * The reports in which a text occurs that names a user, be it within a reason that somebody gave. Reads all reports: a
     * read unit per 4 KB.
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

    /** Deletes some reports; what is not there is deleted. Two write units for each KB of them. */
    deleteReports: (organizationId: string, reports: readonly ReportRef[]): Promise<void> =>
      inParallel(reports, DELETED_AT_ONCE, (report) => transact(deletionOf(organizationKey(organizationId), report))),

    /**
     * Deletes some reports and marks them in the same moment, so that none is lost: the next dispatch has each made anew
     * from what is left, however old it is. @param now epoch ms.
     */
    replaceReports: (organizationId: string, periods: readonly Period[], now: number): Promise<void> =>
      inParallel(periods, DELETED_AT_ONCE, (period) => {
        const scope = organizationKey(organizationId);
        const mark = { Put: { TableName: tableName, Item: dueItem(scope, period, now) } };
        return transact([...deletionOf(scope, period), mark]);
      }),
  };
};
