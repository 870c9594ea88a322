import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { DAY_MS, dayName, timeOfName } from "../terms/hours.ts";
import { DUE_REPORTS } from "../terms/indexes.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import { CATCH_UP_DAYS, type Period, periodsOfDay } from "./period.ts";
import { DISPATCHER_KEY, dueKey, dueShardOf, dueShards, periodOfKey } from "./report-keys.ts";

const Entry = z.object({ scope: z.string(), key: z.string() });
const Mark = z.object({ token: z.string(), ttl: z.number() });
const Dispatched = z.object({ through: z.string() });

/** A report that is to be made once its period is over. `scope`: the organization's key. */
export type DueReport = { scope: string; period: Period };

/** A mark as it was read: `token` is another one whenever it is marked again. `expiresAt`: epoch ms. */
export type DueMark = { token: string; expiresAt: number };

/**
 * The item of a mark. It is of use for CATCH_UP_DAYS after the period's end, or, where an erasure took a report of long ago,
 * after that.
 * @param now epoch ms.
 */
export const dueItem = (scope: string, period: Period, now: number) => ({
  scope,
  key: dueKey(period),
  dueShard: dueShardOf(scope),
  token: newRequestToken(),
  ttl: Math.floor((Math.max(period.to, now) + (CATCH_UP_DAYS + 1) * DAY_MS) / 1_000),
});

export type ReportDueStore = ReturnType<typeof createReportDueStore>;

/** Marks of reports that are to be made. All calls throw DomainError `store_unavailable`. */
export const createReportDueStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const mark = async (scope: string, period: Period): Promise<void> => {
    const command = new PutCommand({ TableName: tableName, Item: dueItem(scope, period, period.to) });
    await callStore((options) => client.send(command, options));
  };

  return {
    /**
     * Says that an organization has something to report of a day, and so of its week: four write units, two where both are
     * marked already. A mark too many harms nothing.
     * @param scope the organization's key (shared/terms/keys.ts).
     * @param day any time of it, epoch ms.
     */
    async markReportsDue(scope: string, day: number): Promise<void> {
      for (const period of periodsOfDay(day)) await mark(scope, period);
    },

    /** All marks, those of a shard by kind and time. Half a read unit per shard and 4 KB; may lag by a second. */
    async *listAll(): AsyncGenerator<DueReport, void, void> {
      for await (const item of readIndex(client, tableName, { ...DUE_REPORTS, shards: dueShards })) {
        const { scope, key } = Entry.parse(item);
        yield { scope, period: periodOfKey(key) };
      }
    },

    /** A mark, read strongly; undefined where there is none. One read unit. To be known before its report is begun. */
    async read({ scope, period }: DueReport): Promise<DueMark | undefined> {
      const command = new GetCommand({
        TableName: tableName,
        Key: { scope, key: dueKey(period) },
        ConsistentRead: true,
      });
      const { Item } = await callStore((options) => client.send(command, options));
      if (Item === undefined) return undefined;
      const { token, ttl } = Mark.parse(Item);
      return { token, expiresAt: ttl * 1_000 };
    },

    /** Takes a mark away, unless somebody has marked the report again since it was read; two write units. */
    async clear({ scope, period }: DueReport, { token }: Pick<DueMark, "token">): Promise<void> {
      const command = new DeleteCommand({
        TableName: tableName,
        Key: { scope, key: dueKey(period) },
        ConditionExpression: "#token = :token",
        ExpressionAttributeNames: { "#token": "token" },
        ExpressionAttributeValues: { ":token": token },
      });
      await callStore((options) => client.send(command, options)).catch((error: unknown) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      });
    },

    /** The last day that connected organizations were marked for, its start in epoch ms; one read unit. */
    async connectedThrough(): Promise<number | undefined> {
      const command = new GetCommand({ TableName: tableName, Key: DISPATCHER_KEY, ConsistentRead: true });
      const { Item } = await callStore((options) => client.send(command, options));
      return Item && timeOfName(Dispatched.parse(Item).through);
    },

    /** Says that connected organizations were marked up to a day; one write unit. @param day epoch ms. */
    async setConnectedThrough(day: number): Promise<void> {
      const command = new PutCommand({ TableName: tableName, Item: { ...DISPATCHER_KEY, through: dayName(day) } });
      await callStore((options) => client.send(command, options));
    },
  };
};
