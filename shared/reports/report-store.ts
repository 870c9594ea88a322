import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { expiryOf } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { Report, ReportEntry } from "./report.ts";
import { contentKey, ERASED_KEY, entryKey, type ReportRef } from "./report-keys.ts";

const ContentItem = z.object({ report: z.string(), ttl: z.number() });
const ErasedItem = z.object({ times: z.number() });

const CONFLICT_ATTEMPTS = 5;

/** What became of a report that was to be stored. `erased`: reports were erased since it was begun. */
export type PutResult = "stored" | "exists" | "erased";

export type ReportStore = ReturnType<typeof createReportStore>;

/**
 * The reports of each organization; keys in report-keys.ts, the list in report-list-store.ts. What has expired is never given back. All calls throw DomainError
 * `store_unavailable` when the table does not answer.
 */
export const createReportStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => {
  const put = async (organizationId: string, report: Report, erasedTimes: number): Promise<PutResult> => {
    const scope = organizationKey(organizationId);
    const ttl = expiryOf(report.to - 1, retentionDays);
    const command = new TransactWriteCommand({
      // The SDK sends it again where an answer was lost, and DynamoDB then says what it said the first time.
      ClientRequestToken: newRequestToken(),
      TransactItems: [
        {
          Put: {
            TableName: tableName,
            Item: { ...ReportEntry.parse(report), scope, key: entryKey(report), ttl },
            ConditionExpression: "attribute_not_exists(#key)",
            ExpressionAttributeNames: { "#key": "key" },
          },
        },
        {
          Put: { TableName: tableName, Item: { scope, key: contentKey(report), report: JSON.stringify(report), ttl } },
        },
        {
          ConditionCheck: {
            TableName: tableName,
            Key: { scope, key: ERASED_KEY },
            ExpressionAttributeNames: { "#times": "times" },
            ...(erasedTimes === 0
              ? { ConditionExpression: "attribute_not_exists(#times)" }
              : { ConditionExpression: "#times = :times", ExpressionAttributeValues: { ":times": erasedTimes } }),
          },
        },
      ],
    });
    try {
      await callStore((options) => client.send(command, options));
      return "stored";
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const [entry, , erased] = error.CancellationReasons ?? [];
      if (erased?.Code === "ConditionalCheckFailed") return "erased";
      if (entry?.Code === "ConditionalCheckFailed") return "exists";
      throw error;
    }
  };

  return {
    /** How often reports of the organization were erased, read strongly; one read unit. To be known before one is begun. */
    async erasedTimes(organizationId: string): Promise<number> {
      const command = new GetCommand({
        TableName: tableName,
        Key: { scope: organizationKey(organizationId), key: ERASED_KEY },
        ConsistentRead: true,
      });
      const { Item } = await callStore((options) => client.send(command, options));
      return Item === undefined ? 0 : ErasedItem.parse(Item).times;
    },

    /** Whether a report was made, read strongly; one read unit. */
    async has(organizationId: string, report: ReportRef): Promise<boolean> {
      const command = new GetCommand({
        TableName: tableName,
        Key: { scope: organizationKey(organizationId), key: entryKey(report) },
        ConsistentRead: true,
      });
      return (await callStore((options) => client.send(command, options))).Item !== undefined;
    },

    /**
     * Stores a report unless its period has one; six write units, and two for each KB of it.
     * @param erasedTimes as it was before anything was read for the report.
     */
    async put(organizationId: string, report: Report, erasedTimes: number): Promise<PutResult> {
      for (let attempts = 0; ; attempts++) {
        try {
          return await put(organizationId, report, erasedTimes);
        } catch (error) {
          // Somebody else's transaction held one of the items.
          if (!(error instanceof TransactionCanceledException) || attempts === CONFLICT_ATTEMPTS) throw error;
          await pauseBeforeRetry(attempts);
        }
      }
    },

    /** A report, read strongly: one read unit per 4 KB. @param now epoch ms. */
    async get(organizationId: string, report: ReportRef, now: number): Promise<Report | undefined> {
      const command = new GetCommand({
        TableName: tableName,
        Key: { scope: organizationKey(organizationId), key: contentKey(report) },
        ConsistentRead: true,
      });
      const { Item } = await callStore((options) => client.send(command, options));
      if (Item === undefined) return undefined;
      const content = ContentItem.parse(Item);
      return content.ttl * 1_000 > now ? Report.parse(JSON.parse(content.report)) : undefined;
    },
  };
};
