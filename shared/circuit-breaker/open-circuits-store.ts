import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import {
  HELD_SHARD,
  INDEX_SHARDS,
  NOT_CLOSED_INDEX,
  UNCONNECTED_HELD_SHARD,
  UNCONNECTED_SHARD,
} from "./circuit-keys.ts";

/** Circuits that are open and half-open now; `unconnected` of them are of organizations without a connection. */
export type OpenCircuits = { open: number; halfOpen: number; unconnected: number };

/**
 * Counts circuits by the index of those that are not closed: half a read unit per 4 KB of its entries, 31 bytes each.
 * The returned function throws DomainError `store_unavailable`.
 */
export const createOpenCircuitCounter = (client: DynamoDBDocumentClient, tableName: string) => {
  /** Counts the entries of one partition of the index, and those of them that the filter takes. */
  const count = async (shard: string, filter: string, now: number) => {
    const counts = { all: 0, filtered: 0 };
    let start: Record<string, unknown> | undefined;
    do {
      const command = new QueryCommand({
        TableName: tableName,
        IndexName: NOT_CLOSED_INDEX,
        Select: "COUNT",
        KeyConditionExpression: "#sh = :shard",
        FilterExpression: filter,
        ExpressionAttributeNames: { "#sh": "sh", "#ou": "ou" },
        ExpressionAttributeValues: { ":shard": shard, ":now": now },
        ...(start && { ExclusiveStartKey: start }),
      });
      const page = await callStore((options) => client.send(command, options));
      counts.all += page.ScannedCount ?? 0;
      counts.filtered += page.Count ?? 0;
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    return counts;
  };

  return async (now: number): Promise<OpenCircuits> => {
    const countTimed = (shard: string) => count(shard, "#ou > :now", now);
    const countHeld = (shard: string) => count(shard, "attribute_not_exists(#ou) OR #ou > :now", now);
    const [connected, unconnected, held, unconnectedHeld] = await Promise.all([
      Promise.all(INDEX_SHARDS.map(countTimed)),
      countTimed(UNCONNECTED_SHARD),
      countHeld(HELD_SHARD),
      countHeld(UNCONNECTED_HELD_SHARD),
    ]);
    const shards = [...connected, unconnected];
    const open = shards.reduce((sum, { filtered }) => sum + filtered, 0);
    return {
      open: open + held.filtered + unconnectedHeld.filtered,
      halfOpen: shards.reduce((sum, { all }) => sum + all, 0) - open,
      unconnected: unconnected.all + unconnectedHeld.filtered,
    };
  };
};
