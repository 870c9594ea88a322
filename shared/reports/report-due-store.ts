import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { readPages } from "../runtime/read-pages.ts";
import { DAY_MS, dayName, timeOfName } from "../security/hours.ts";
import { MADE_UP_DAYS, type Period, periodsOfDay } from "./period.ts";
import { DISPATCHER_KEY, DUE_INDEX, dueKey, dueShardOf, dueShards, periodOfKey } from "./report-keys.ts";

const Mark = z.object({ scope: z.string(), key: z.string() });
const Dispatched = z.object({ through: z.string() });

/** A report that is to be made once its period is over. `scope`: the organization's key. */
export type DueReport = { scope: string; period: Period };

export type ReportDueStore = ReturnType<typeof createReportDueStore>;

/** Marks of reports that are to be made. All calls throw DomainError `store_unavailable`. */
export const createReportDueStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const mark = async (scope: string, period: Period): Promise<void> => {
    const command = new PutCommand({
      TableName: tableName,
      Item: {
        scope,
        key: dueKey(period),
        dueShard: dueShardOf(scope),
        ttl: (period.to + (MADE_UP_DAYS + 1) * DAY_MS) / 1_000,
      },
    });
    await callStore((options) => client.send(command, options));
  };

  return {
    /**
     * Says that an organization has something to report of a day, and so of its week: four write units, two where both are
     * marked already. A mark too many harms nothing.
     * @param scope the organization's key (shared/security/keys.ts).
     * @param day any time of it, epoch ms.
     */
    async markReportsDue(scope: string, day: number): Promise<void> {
      for (const period of periodsOfDay(day)) await mark(scope, period);
    },

    /** All marks, those of a shard by kind and time. Half a read unit per shard and 4 KB; may lag by a second. */
    async *listAll(): AsyncGenerator<DueReport, void, void> {
      for (const shard of dueShards) {
        const pages = readPages(client, {
          TableName: tableName,
          IndexName: DUE_INDEX,
          KeyConditionExpression: "#shard = :shard",
          ExpressionAttributeNames: { "#shard": "dueShard" },
          ExpressionAttributeValues: { ":shard": shard },
        });
        for await (const page of pages) {
          for (const item of page) {
            const { scope, key } = Mark.parse(item);
            yield { scope, period: periodOfKey(key) };
          }
        }
      }
    },

    /** Takes a mark away; two write units. */
    async clear({ scope, period }: DueReport): Promise<void> {
      const command = new DeleteCommand({ TableName: tableName, Key: { scope, key: dueKey(period) } });
      await callStore((options) => client.send(command, options));
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
