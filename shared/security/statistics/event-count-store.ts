import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { readPages } from "../../runtime/read-pages.ts";
import { firstIdAt } from "../event-id.ts";
import { CountedItem, countedFields, projectionOf } from "./counted-item.ts";
import { createTally } from "./counters.ts";
import type { Rollup } from "./rollup.ts";

/** The greatest id of the times before one. */
const lastIdBefore = (time: number): string => firstIdAt(time - 1).slice(0, 10) + "Z".repeat(16);

export type EventCountStore = ReturnType<typeof createEventCountStore>;

/** Counts the events of the event table. Calls throw DomainError `store_unavailable` when it does not answer. */
export const createEventCountStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Counts the events of a partition from one time (inclusive) to another (exclusive), both epoch ms, that have not
   * expired at `now`. Costs what the events weigh: half a read unit per 4 KB, or one when read strongly.
   * @returns undefined where there are none.
   */
  async countRange(
    scope: string,
    { from, to }: { from: number; to: number },
    { now, strongly = false }: { now: number; strongly?: boolean },
  ): Promise<Rollup | undefined> {
    const tally = createTally();
    const expiries = new Set<number>();
    const { ProjectionExpression, ExpressionAttributeNames } = projectionOf(countedFields);
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #id BETWEEN :first AND :last",
      ProjectionExpression,
      ExpressionAttributeNames: { ...ExpressionAttributeNames, "#scope": "scope" },
      ExpressionAttributeValues: { ":scope": scope, ":first": firstIdAt(from), ":last": lastIdBefore(to) },
      ConsistentRead: strongly,
    });
    for await (const page of pages) {
      for (const item of page) {
        const event = CountedItem.parse(item);
        if (event.ttl * 1_000 <= now) continue;
        tally.add(event);
        expiries.add(event.ttl);
      }
    }
    if (expiries.size === 0) return undefined;
    return { counters: tally.counters(), exactUntil: Math.min(...expiries), expiresAt: Math.max(...expiries) };
  },
});
