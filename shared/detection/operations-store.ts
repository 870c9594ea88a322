import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { readPages } from "../runtime/read-pages.ts";
import { firstIdAt } from "../security/event-id.ts";
import { fromItem } from "../security/event-item.ts";
import { organizationKey } from "../terms/keys.ts";
import { type Fact, factOf } from "./rules/fact.ts";
import { isTimedOperation } from "./rules/performance-degradation.ts";

const PAGE = 100;
/** Of an organization with many other events, so many are looked through. */
const MAX_EVENTS = 1_000;

export type OperationsStore = ReturnType<typeof createOperationsStore>;

/** An organization's latest operations against the provider, by their events. */
export const createOperationsStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * All operations since a time (epoch ms), and before that as many as make `least`, oldest first; within the latest
   * thousand events. A read unit per 4 KB of events looked through, read strongly.
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
    let seen = 0;
    for await (const page of pages) {
      const facts = page.map((item) => factOf(fromItem(item)));
      operations.push(...facts.filter(isTimedOperation));
      seen += facts.length;
      const isEnough = operations.length >= least && (facts.at(-1)?.at ?? 0) < since;
      if (isEnough || seen >= MAX_EVENTS) break;
    }
    return operations.filter(({ at }, index) => at >= since || index < least).reverse();
  },
});
