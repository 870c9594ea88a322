import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { readPages } from "../runtime/read-pages.ts";
import { firstIdAt } from "../security/event-id.ts";
import { fromItem } from "../security/event-item.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { EVENTS_BY_RISK } from "../terms/indexes.ts";
import { organizationKey, partKey } from "../terms/keys.ts";

const Expiring = z.object({ ttl: z.number() });
const Oldest = z.object({ timestamp: z.number(), ttl: z.number() });

type Span = { from: number; to: number };

export type PeriodEventsStore = ReturnType<typeof createPeriodEventsStore>;

/** The reads of the event table that reports need. Times in epoch ms. All throw DomainError `store_unavailable`. */
export const createPeriodEventsStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * An organization's unexpired events of a span, in order: half a read unit per 4 KB. A report of access needs all
   * events: statistics do not contain users, and only the index by user contains reads.
   */
  async *read(organizationId: string, { from, to }: Span, now: number): AsyncGenerator<SecurityEvent, void, void> {
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #id BETWEEN :first AND :next",
      ExpressionAttributeNames: { "#scope": "scope", "#id": "id" },
      ExpressionAttributeValues: {
        ":scope": organizationKey(organizationId),
        ":first": firstIdAt(from),
        // The least id of the next span is not an event's: the random part of an id is never all zeros.
        ":next": firstIdAt(to),
      },
    });
    for await (const page of pages) {
      for (const item of page) {
        if (Expiring.parse(item).ttl * 1_000 > now) yield fromItem(item);
      }
    }
  },

  /**
   * How many HIGH and CRITICAL events from before a time were unprocessed at that time. Reads all stored events of these
   * levels, half a read unit per 4 KB.
   */
  async countUnprocessed(organizationId: string, at: number, now: number): Promise<number> {
    let count = 0;
    for (const level of ["HIGH", "CRITICAL"]) {
      let start: Record<string, unknown> | undefined;
      do {
        const command = new QueryCommand({
          TableName: tableName,
          IndexName: EVENTS_BY_RISK.name,
          KeyConditionExpression: "#risk = :risk AND #id < :next",
          FilterExpression: "#ttl > :now AND (#processed = :false OR #processedAt >= :at)",
          ExpressionAttributeNames: {
            "#risk": EVENTS_BY_RISK.partitionKey,
            "#id": "id",
            "#ttl": "ttl",
            "#processed": "processed",
            "#processedAt": "processedAt",
          },
          ExpressionAttributeValues: {
            ":risk": partKey(organizationKey(organizationId), level),
            ":next": firstIdAt(at),
            ":now": Math.floor(now / 1_000),
            ":false": false,
            ":at": at,
          },
          Select: "COUNT",
          ...(start && { ExclusiveStartKey: start }),
        });
        const { Count = 0, LastEvaluatedKey } = await callStore((options) => client.send(command, options));
        count += Count;
        start = LastEvaluatedKey;
      } while (start !== undefined);
    }
    return count;
  },

  /** The oldest stored event, expired or not: at most one read unit. */
  async oldest(organizationId: string): Promise<{ timestamp: number; expiresAt: number } | undefined> {
    const command = new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope",
      ExpressionAttributeNames: { "#scope": "scope" },
      ExpressionAttributeValues: { ":scope": organizationKey(organizationId) },
      Limit: 1,
    });
    const { Items: [item] = [] } = await callStore((options) => client.send(command, options));
    if (item === undefined) return undefined;
    const { timestamp, ttl } = Oldest.parse(item);
    return { timestamp, expiresAt: ttl * 1_000 };
  },
});
