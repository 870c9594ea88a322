import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../../runtime/call-store.ts";
import type { Clock } from "../../runtime/clock.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { readPages } from "../../runtime/read-pages.ts";
import { END_OF_TIME_MS, hourName, timeOfName } from "../../terms/hours.ts";
import { OPEN_HOURS } from "../../terms/indexes.ts";
import { shardOf } from "../../terms/shard-of.ts";
import { readIndex } from "../../work/sharded-index-store.ts";

/**
 * One item per hour that may have events which its rollup lacks, beside the rollups: partition key `scope`, sort key
 * `period` (`open#2026-11-21T10`). `token` changes with every mark, `markedAt` (epoch ms) says when. It does not
 * expire: the closer takes it away.
 * Index byOpenHour: partition key `openShard` (a text, "0" to "7"), sort key `period`, with token and markedAt.
 */
const OpenHourItem = z.object({ scope: z.string(), period: z.string(), token: z.string(), markedAt: z.number() });

export type OpenHour = {
  scope: string;
  /** The start of the hour, epoch ms. */
  hour: number;
  token: string;
  markedAt: number;
};

/** Partitions of the index: each takes a thousand marks a second, and most come when an hour begins. */
export const OPEN_SHARDS = 8;

const openShards: readonly string[] = Array.from({ length: OPEN_SHARDS }, (_, shard) => String(shard));

const PREFIX = "open#";
const keyOf = (hour: number): string => `${PREFIX}${hourName(hour)}`;

const parse = (item: unknown): OpenHour => {
  const { period, ...marker } = OpenHourItem.parse(item);
  return { ...marker, hour: timeOfName(period.slice(PREFIX.length)) };
};

const openShardOf = (scope: string): string => String(shardOf(scope, OPEN_SHARDS));

export type OpenHourStore = ReturnType<typeof createOpenHourStore>;

/** The open hours of each partition of events. Calls throw DomainError `store_unavailable` when it does not answer. */
export const createOpenHourStore = (client: DynamoDBDocumentClient, tableName: string, now: Clock) => ({
  /**
   * Says that an hour gets events; two write units. Nothing is lost as long as whoever writes an event does this
   * before, and then finishes within four minutes of it, or within four minutes of the end of the hour: closers leave
   * an hour alone for five. So once per instance for the hour that it is, and every time for an hour that is over.
   * @param hour as in `2026-11-21T10`.
   */
  async markHourOpen(scope: string, hour: string): Promise<void> {
    const command = new PutCommand({
      TableName: tableName,
      Item: {
        scope,
        period: keyOf(timeOfName(hour)),
        openShard: openShardOf(scope),
        token: newRequestToken(),
        markedAt: now(),
      },
    });
    await callStore((options) => client.send(command, options));
  },

  /** The open hours of a partition from one on, in order of time, read strongly; one read unit up to 4 KB. */
  async list(scope: string, from: number): Promise<number[]> {
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #period BETWEEN :first AND :last",
      ExpressionAttributeNames: { "#scope": "scope", "#period": "period" },
      ExpressionAttributeValues: { ":scope": scope, ":first": keyOf(from), ":last": keyOf(END_OF_TIME_MS - 1) },
      ConsistentRead: true,
    });
    const hours: number[] = [];
    for await (const page of pages) hours.push(...page.map((item) => parse(item).hour));
    return hours;
  },

  /**
   * The open hours of all partitions up to one, the oldest of each shard first. Half a read unit per shard and 4 KB;
   * what was marked or cleared a moment ago may be missing or still there.
   */
  async *listAll(last: number): AsyncGenerator<OpenHour, void, void> {
    const entries = readIndex(client, tableName, { ...OPEN_HOURS, shards: openShards }, keyOf(last));
    for await (const item of entries) yield parse(item);
  },

  /** Takes a marker away unless the hour was marked again; two write units. @returns whether it did. */
  async clear({ scope, hour, token }: Pick<OpenHour, "scope" | "hour" | "token">): Promise<boolean> {
    const command = new DeleteCommand({
      TableName: tableName,
      Key: { scope, period: keyOf(hour) },
      ConditionExpression: "#token = :token",
      ExpressionAttributeNames: { "#token": "token" },
      ExpressionAttributeValues: { ":token": token },
    });
    try {
      await callStore((options) => client.send(command, options));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  },
});
