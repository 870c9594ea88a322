import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { expiryOf } from "../terms/hours.ts";
import { UNJUDGED_HOURS } from "../terms/indexes.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import {
  hourOfUnjudgedKey,
  scopeOfPartition,
  unjudgedKey,
  unjudgedShardOf,
  unjudgedShards,
  windowKey,
} from "./detection-keys.ts";

const Mark = z.object({ scope: z.string(), key: z.string() });
const Window = z.object({ finishedAt: z.optional(z.number()) });

/** `hour`: its start, epoch ms. */
export type UnjudgedHour = { scope: string; hour: number };

export type UnjudgedStore = ReturnType<typeof createUnjudgedStore>;

/** Marks of hours that detection has still to judge. All calls throw DomainError `store_unavailable`. */
export const createUnjudgedStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => {
  const isJudged = async (scope: string, hour: number): Promise<boolean> => {
    const command = new GetCommand({
      TableName: tableName,
      Key: { scope, key: windowKey(hour) },
      ProjectionExpression: "finishedAt",
    });
    const { Item } = await callStore((options) => client.send(command, options));
    return Item !== undefined && Window.parse(Item).finishedAt !== undefined;
  };

  return {
    /**
     * Marks an hour, unless it was judged and all is done that follows: half a read unit, and two write units for a mark.
     * A mark too many harms nothing.
     * @param partition of the hour's events.
     */
    async markUnjudged(partition: string, hour: number): Promise<void> {
      const scope = scopeOfPartition(partition);
      if (await isJudged(scope, hour)) return;
      const command = new PutCommand({
        TableName: tableName,
        Item: {
          scope,
          key: unjudgedKey(hour),
          unjudgedShard: unjudgedShardOf(scope),
          ttl: expiryOf(hour, retentionDays),
        },
      });
      await callStore((options) => client.send(command, options));
    },

    /** All marks, those of a shard in order of time. Half a read unit per shard and 4 KB; may lag by a second. */
    async *listAll(): AsyncGenerator<UnjudgedHour, void, void> {
      for await (const item of readIndex(client, tableName, { ...UNJUDGED_HOURS, shards: unjudgedShards })) {
        const { scope, key } = Mark.parse(item);
        yield { scope, hour: hourOfUnjudgedKey(key) };
      }
    },

    /** Takes a mark away; two write units. */
    async clear({ scope, hour }: UnjudgedHour): Promise<void> {
      const command = new DeleteCommand({ TableName: tableName, Key: { scope, key: unjudgedKey(hour) } });
      await callStore((options) => client.send(command, options));
    },
  };
};
