import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { queryPage } from "../runtime/query-page.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { DAY_MS, expiryOf } from "../security/hours.ts";
import { organizationKey } from "../security/keys.ts";
import { periodOf, type ReportKind, reportKinds } from "./period.ts";
import { Report, ReportEntry, type ReportPosition } from "./report.ts";
import { contentKey, ERASED_KEY, entryKey, kindPrefix, type ReportRef } from "./report-keys.ts";

const EntryItem = z.extend(ReportEntry, { ttl: z.number() });
const ContentItem = z.object({ report: z.string(), ttl: z.number() });
const ErasedItem = z.object({ times: z.number() });

const CONFLICT_ATTEMPTS = 5;

/** What became of a report that was to be stored. `erased`: reports were erased since it was begun. */
export type PutResult = "stored" | "exists" | "erased";

/** Latest end first; of two that end together the one made last. */
const compare = (a: ReportPosition, b: ReportPosition): number =>
  b.to - a.to || b.createdAt - a.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The greatest and the least key of a kind among those that end up to a time; `$` follows `#`. */
const boundsOf = (kind: ReportKind, after: ReportPosition | undefined) => ({
  ":first": kindPrefix(kind),
  ":last": after === undefined ? `${kind}$` : entryKey(periodOf(kind, after.to - DAY_MS)),
});

export type ReportStore = ReturnType<typeof createReportStore>;

/**
 * The reports of each organization; keys in report-keys.ts. What has expired is never given back. All calls throw DomainError
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

    /**
     * A page of an organization's reports, the latest period first; a read unit per 4 KB of entries, of which one has
     * about 150 bytes.
     * @param page.now epoch ms.
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
