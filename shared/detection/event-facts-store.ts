/** Reads security events as facts: those of an hour, and an organization's latest operations against the provider. */
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { inParallel } from "../runtime/in-parallel.ts";
import { readPages } from "../runtime/read-pages.ts";
import { firstIdAt } from "../security/event-id.ts";
import { fromItem } from "../security/event-item.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { organizationKey, UNOWNED_SHARDS } from "../terms/keys.ts";
import { UNOWNED_SCOPE } from "./detection.ts";
import { type Fact, factOf, isTimedOperation } from "./evidence/fact.ts";

const PARTITIONS_AT_ONCE = 4;

const Expiring = z.object({ ttl: z.number() });

const partitionsOf = (scope: string): string[] =>
  scope === UNOWNED_SCOPE ? Array.from({ length: UNOWNED_SHARDS }, (_, shard) => `${scope}#${shard}`) : [scope];

export type HourFactsStore = ReturnType<typeof createHourFactsStore>;

export const createHourFactsStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * The facts of a scope's unexpired events in an hour, in no order. Strongly consistent: a read unit per 4 KB, at least
   * one per partition.
   * @param hour its start, epoch ms.
   * @param now epoch ms.
   * @throws DomainError `store_unavailable`.
   */
  async readHour(scope: string, hour: number, now: number): Promise<Fact[]> {
    const facts: Fact[] = [];
    await inParallel(partitionsOf(scope), PARTITIONS_AT_ONCE, async (partition) => {
      const pages = readPages(client, {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND #id BETWEEN :first AND :next",
        ExpressionAttributeNames: { "#scope": "scope", "#id": "id" },
        // BETWEEN includes the first id of the next hour, which no event has: its random part is all zeros.
        ExpressionAttributeValues: {
          ":scope": partition,
          ":first": firstIdAt(hour),
          ":next": firstIdAt(hour + HOUR_MS),
        },
        ConsistentRead: true,
      });
      for await (const page of pages) {
        for (const item of page) {
          if (Expiring.parse(item).ttl * 1_000 > now) facts.push(factOf(fromItem(item)));
        }
      }
    });
    return facts;
  },
});

const PAGE = 100;
/** The most events that are searched for operations. */
const MAX_EVENTS = 1_000;

export type OperationFactsStore = ReturnType<typeof createOperationFactsStore>;

export const createOperationFactsStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * All operations since a time (epoch ms), and as many earlier ones as make `least`, oldest first; among the latest
   * 1,000 events. Strongly consistent: a read unit per 4 KB of events.
   * @throws DomainError `store_unavailable`.
   */
  async latest(organizationId: string, { since, least }: { since: number; least: number }): Promise<Fact[]> {
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #id >= :first",
      ExpressionAttributeNames: { "#scope": "scope", "#id": "id" },
      ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":first": firstIdAt(0) },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: PAGE,
    });
    const operations: Fact[] = [];
    let events = 0;
    for await (const page of pages) {
      const facts = page.map((item) => factOf(fromItem(item)));
      operations.push(...facts.filter(isTimedOperation));
      events += facts.length;
      const isEnough = operations.length >= least && (facts.at(-1)?.at ?? 0) < since;
      if (isEnough || events >= MAX_EVENTS) break;
    }
    return operations.filter(({ at }, index) => at >= since || index < least).reverse();
  },
});
