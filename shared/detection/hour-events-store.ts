import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { inParallel } from "../runtime/in-parallel.ts";
import { readPages } from "../runtime/read-pages.ts";
import { firstIdAt } from "../security/event-id.ts";
import { fromItem } from "../security/event-item.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { UNOWNED_SHARDS } from "../terms/keys.ts";
import { UNOWNED_SCOPE } from "./detection-keys.ts";
import { type Fact, factOf } from "./rules/fact.ts";

const PARTITIONS_AT_ONCE = 4;

const Expiring = z.object({ ttl: z.number() });

const partitionsOf = (scope: string): string[] =>
  scope === UNOWNED_SCOPE ? Array.from({ length: UNOWNED_SHARDS }, (_, shard) => `${scope}#${shard}`) : [scope];

export type HourEventsStore = ReturnType<typeof createHourEventsStore>;

/** The events that detection reads. */
export const createHourEventsStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * The facts of a scope's events of an hour that have not expired, in no order, read strongly: what they weigh, a read
   * unit per 4 KB, and one at least for each partition.
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
        // No event's random part is all zeros, so the least id of the next hour is nobody's.
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
