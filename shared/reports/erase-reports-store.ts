import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { createNaming } from "../erasure/naming.ts";
import { callStore } from "../runtime/call-store.ts";
import { deleteItems } from "../runtime/delete-items.ts";
import { readPages } from "../runtime/read-pages.ts";
import { organizationKey } from "../security/keys.ts";
import {
  CONTENT_PREFIX,
  contentKey,
  ERASED_KEY,
  entryKey,
  isEntryKey,
  periodOfKey,
  type ReportRef,
} from "./report-keys.ts";

const Key = z.object({ key: z.string() });
const Content = z.object({ key: z.string(), report: z.string() });

/** Keys of one step. */
const STEP = 100;

export type EraseReportsStore = ReturnType<typeof createEraseReportsStore>;

/**
 * How reports are erased. A report that was begun before an erasure is not stored after its first step (report-store.ts), but
 * made anew from what is left. All calls throw DomainError `store_unavailable`, and may then be made again.
 */
export const createEraseReportsStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** From now on nothing is stored that was begun before. */
  const invalidateBegun = async (scope: string): Promise<void> => {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope, key: ERASED_KEY },
      // Counting twice, where an answer was lost, invalidates no less.
      UpdateExpression: "ADD #times :one",
      ExpressionAttributeNames: { "#times": "times" },
      ExpressionAttributeValues: { ":one": 1 },
    });
    await callStore((options) => client.send(command, options));
  };

  const deleteKeys = (scope: string, keys: readonly string[]): Promise<void> =>
    deleteItems(
      client,
      tableName,
      keys.map((key) => ({ scope, key })),
    );

  return {
    /**
     * Deletes one step of an organization's reports, some 50 of them. To be called until `isDone`; whatever stops it in
     * between, the next call goes on. Marks stay, as days under way are still to be reported.
     * @returns how many reports the step deleted.
     */
    async deleteAll(organizationId: string): Promise<{ deleted: number; isDone: boolean }> {
      const scope = organizationKey(organizationId);
      await invalidateBegun(scope);
      const command = new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope",
        ProjectionExpression: "#key",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": scope },
        ConsistentRead: true,
        Limit: STEP,
      });
      const { Items = [], LastEvaluatedKey } = await callStore((options) => client.send(command, options));
      const keys = Items.map((item) => Key.parse(item).key).filter(
        (key) => isEntryKey(key) || key.startsWith(CONTENT_PREFIX),
      );
      await deleteKeys(scope, keys.filter(isEntryKey));
      await deleteKeys(
        scope,
        keys.filter((key) => !isEntryKey(key)),
      );
      return { deleted: keys.filter(isEntryKey).length, isDone: LastEvaluatedKey === undefined };
    },

    /**
     * The reports in which a text occurs that names a user, be it within a reason that somebody gave. Reads all reports: a
     * read unit per 4 KB.
     * @param name the user's id, or an address of the user.
     */
    async reportsNaming(organizationId: string, name: string): Promise<ReportRef[]> {
      const pages = readPages(client, {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :content)",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":content": CONTENT_PREFIX },
        ConsistentRead: true,
      });
      const naming = createNaming([name]);
      const found: ReportRef[] = [];
      for await (const page of pages) {
        for (const item of page) {
          const { key, report } = Content.parse(item);
          if (naming.names(JSON.parse(report))) found.push(periodOfKey(key));
        }
      }
      return found;
    },

    /** Deletes some reports; what is not there is deleted. To be made anew they are marked (report-due-store.ts). */
    async deleteReports(organizationId: string, reports: readonly ReportRef[]): Promise<void> {
      const scope = organizationKey(organizationId);
      await invalidateBegun(scope);
      // Entries first: one without its content would say for ever that the report was made.
      await deleteKeys(scope, reports.map(entryKey));
      await deleteKeys(scope, reports.map(contentKey));
    },
  };
};
