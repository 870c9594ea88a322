import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { DAY_MS, dayName, startOfDay, timeOfName } from "../security/hours.ts";
import { organizationKey } from "../security/keys.ts";
import { BASELINE_DAYS } from "./baseline.ts";
import { LATENCY_KEY } from "./detection-keys.ts";
import { type Latency, noLatency } from "./rules/performance-degradation.ts";

/** `raised`: the occurrence of the finding that was raised last. `token` changes with every put. */
export type StoredLatency = { latency: Latency; raised?: string | undefined; token?: string | undefined };

/**
 * `last` and `days` as JSON text of [event id, epoch ms, ms] and [day of the epoch, operations, total ms], so that one
 * write unit is enough.
 */
const LatencyItem = z.object({
  last: z.string(),
  days: z.string(),
  raised: z.optional(z.string()),
  token: z.string(),
});
const Last = z.array(z.tuple([z.string(), z.number(), z.number()]));
const Days = z.array(z.tuple([z.number(), z.number(), z.number()]));

const parse = (item: unknown): StoredLatency => {
  const { last, days, raised, token } = LatencyItem.parse(item);
  return {
    latency: {
      last: Last.parse(JSON.parse(last)).map(([id, at, durationMs]) => ({ id, at, durationMs })),
      days: Days.parse(JSON.parse(days)).map(([day, operations, totalMs]) => ({
        day: dayName(day * DAY_MS),
        operations,
        totalMs,
      })),
    },
    raised,
    token,
  };
};

const toFields = ({ last, days }: Latency) => ({
  last: JSON.stringify(last.map(({ id, at, durationMs }) => [id, at, Math.round(durationMs)])),
  days: JSON.stringify(
    days.map(({ day, operations, totalMs }) => [timeOfName(day) / DAY_MS, operations, Math.round(totalMs)]),
  ),
});

export type LatencyStore = ReturnType<typeof createLatencyStore>;

/** How long an organization's operations against the provider take. Both throw DomainError `store_unavailable`. */
export const createLatencyStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const keyOf = (organizationId: string) => ({ scope: organizationKey(organizationId), key: LATENCY_KEY });
  return {
    /** May lag by a second, which a put notices; half a read unit. */
    async get(organizationId: string, deadlineMs?: number): Promise<StoredLatency> {
      const command = new GetCommand({
        TableName: tableName,
        Key: keyOf(organizationId),
        ConsistentRead: false,
      });
      const { Item } = await callStore((options) => client.send(command, options), deadlineMs);
      return Item === undefined ? { latency: noLatency } : parse(Item);
    },

    /**
     * Overwrites what was read; one write unit.
     * @returns false where another came first.
     */
    async put(
      organizationId: string,
      { latency, raised, token: previous }: StoredLatency,
      now: number,
      deadlineMs?: number,
    ): Promise<boolean> {
      const token = newRequestToken();
      const command = new PutCommand({
        TableName: tableName,
        Item: {
          ...keyOf(organizationId),
          ...toFields(latency),
          raised,
          token,
          ttl: (startOfDay(now) + (BASELINE_DAYS + 2) * DAY_MS) / 1_000,
        },
        ExpressionAttributeNames: { "#token": "token" },
        ...(previous === undefined
          ? { ConditionExpression: "attribute_not_exists(#token)" }
          : { ConditionExpression: "#token = :previous", ExpressionAttributeValues: { ":previous": previous } }),
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      try {
        await callStore((options) => client.send(command, options), deadlineMs);
        return true;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // The SDK repeats a put whose answer was lost, and then finds what its own first try wrote.
        return error.Item?.token?.S === token;
      }
    },
  };
};
