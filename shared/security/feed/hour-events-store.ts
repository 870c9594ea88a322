import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { readPages } from "../../runtime/read-pages.ts";
import { HOUR_MS } from "../../terms/hours.ts";
import { firstIdAt, lastIdAt } from "../event-id.ts";
import { fromItem } from "../event-item.ts";
import type { SecurityEvent } from "../security-event.ts";

/** Decoding a page occupies the thread, and eight hours are read at once: each page's time-out counts the others' decoding. */
const EVENTS_PER_PAGE = 500;

export type HourEventsStore = ReturnType<typeof createHourEventsStore>;

/** The whole events of an hour. The call throws DomainError `store_unavailable`. */
export const createHourEventsStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * The unexpired events of a partition in an hour, in order of their ids, a page of at most 500 at a time. Read strongly
   * consistent: a read unit per 4 KB.
   * @param hour its start, epoch ms. @param now epoch ms.
   */
  async *read(scope: string, hour: number, now: number): AsyncGenerator<SecurityEvent, void, void> {
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #id BETWEEN :first AND :last",
      FilterExpression: "#ttl > :now",
      ExpressionAttributeNames: { "#scope": "scope", "#id": "id", "#ttl": "ttl" },
      ExpressionAttributeValues: {
        ...{ ":scope": scope, ":first": firstIdAt(hour), ":last": lastIdAt(hour + HOUR_MS - 1) },
        ":now": Math.floor(now / 1_000),
      },
      ...{ ConsistentRead: true, Limit: EVENTS_PER_PAGE },
    });
    for await (const page of pages) yield* page.map(fromItem);
  },
});
