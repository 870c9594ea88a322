import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { getItems } from "../runtime/get-items.ts";
import { DAY_MS, dayName, timeOfName } from "../terms/hours.ts";
import { BASELINE_KEY, USER_PREFIX, userKey } from "./detection-keys.ts";
import { BASELINE_DAYS, History } from "./rules/baseline.ts";
import type { Latency } from "./rules/performance-degradation.ts";

/**
 * What an organization does: its days, up to and with `through`; when each hash was seen last (day names); and its
 * operations against the provider.
 */
export type StoredBaseline = {
  history: History;
  known: Readonly<Record<string, string>>;
  operations: Latency["days"];
  through: string;
};
/** The same of a user. */
export type StoredUserBaseline = Pick<StoredBaseline, "history" | "through">;

/**
 * `baseline` and `user#<hash>`: `since` epoch ms, `days` as JSON text of [day, calls, peak], `known` as JSON text of days
 * and the hashes seen last on them, `operations` as JSON text of [day, operations, ms], `through` the last day that is in it.
 */
const BaselineItem = z.object({
  key: z.string(),
  since: z.number(),
  days: z.string(),
  known: z.optional(z.string()),
  operations: z.optional(z.string()),
  through: z.string(),
});

const Days = z.array(z.tuple([z.string(), z.number(), z.number()]));
const Known = z.record(z.string(), z.array(z.string()));

/** Nobody reads days that are older. */
const KEPT_DAYS = BASELINE_DAYS + 2;

const keptUntil = (through: string): number => (timeOfName(through) + KEPT_DAYS * DAY_MS) / 1_000;

const parse = (item: unknown): StoredBaseline => {
  const { since, days, known, operations = "[]", through } = BaselineItem.parse(item);
  const byDay = Known.parse(known === undefined ? {} : JSON.parse(known));
  return {
    history: History.parse({
      since,
      days: Days.parse(JSON.parse(days)).map(([day, calls, peak]) => ({ day, calls, peak })),
    }),
    known: Object.fromEntries(Object.entries(byDay).flatMap(([day, hashes]) => hashes.map((hash) => [hash, day]))),
    operations: Days.parse(JSON.parse(operations)).map(([day, count, totalMs]) => ({
      day,
      operations: count,
      totalMs,
    })),
    through,
  };
};

const textOfKnown = (known: StoredBaseline["known"]): string => {
  const byDay: Record<string, string[]> = {};
  for (const [hash, day] of Object.entries(known)) byDay[day] = [...(byDay[day] ?? []), hash];
  return JSON.stringify(byDay);
};

const toItem = ({ history, through }: StoredUserBaseline) => ({
  since: history.since,
  days: JSON.stringify(history.days.map(({ day, calls, peak }) => [day, calls, peak])),
  through,
  ttl: keptUntil(through),
});

const toOwnFields = ({ known, operations }: StoredBaseline) => ({
  known: textOfKnown(known),
  operations: JSON.stringify(operations.map(({ day, operations: count, totalMs }) => [day, count, totalMs])),
});

/** The day before which nothing is held against anybody any more. @param hour epoch ms. */
export const oldestKnownDay = (hour: number): string => dayName(hour - BASELINE_DAYS * DAY_MS);

export type BaselineStore = ReturnType<typeof createBaselineStore>;

/** What organizations and their users usually do. All calls throw DomainError `store_unavailable`. */
export const createBaselineStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** Overwrites what was read, or nothing. @returns false where another came first. */
  const put = async (
    key: { scope: string; key: string },
    fields: Record<string, unknown>,
    previous: string | undefined,
  ): Promise<boolean> => {
    const command = new PutCommand({
      TableName: tableName,
      Item: { ...key, ...fields },
      ExpressionAttributeNames: { "#through": "through" },
      ...(previous === undefined
        ? { ConditionExpression: "attribute_not_exists(#through)" }
        : { ConditionExpression: "#through = :previous", ExpressionAttributeValues: { ":previous": previous } }),
    });
    try {
      await callStore((options) => client.send(command, options));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };

  return {
    /** An organization's, read strongly: one read unit per 4 KB. */
    async get(scope: string): Promise<StoredBaseline | undefined> {
      const command = new GetCommand({
        TableName: tableName,
        Key: { scope, key: BASELINE_KEY },
        ConsistentRead: true,
      });
      const { Item } = await callStore((options) => client.send(command, options));
      return Item && parse(Item);
    },

    /** Those of some of its users, by their hash, read strongly: a read unit each. */
    async getUsers(scope: string, hashes: readonly string[]): Promise<Map<string, StoredUserBaseline>> {
      const keys = hashes.map((hash) => ({ scope, key: userKey(hash) }));
      const { items } = await getItems(client, tableName, keys, { ConsistentRead: true });
      return new Map(
        items.map((item) => {
          const { history, through } = parse(item);
          return [String(item.key).slice(USER_PREFIX.length), { history, through }];
        }),
      );
    },

    /** @param previous up to which day the one went that was read. @returns false where another came first. */
    put: (scope: string, baseline: StoredBaseline, previous: string | undefined): Promise<boolean> =>
      put({ scope, key: BASELINE_KEY }, { ...toItem(baseline), ...toOwnFields(baseline) }, previous),

    putUser: (
      scope: string,
      hash: string,
      baseline: StoredUserBaseline,
      previous: string | undefined,
    ): Promise<boolean> => put({ scope, key: userKey(hash) }, toItem(baseline), previous),
  };
};
