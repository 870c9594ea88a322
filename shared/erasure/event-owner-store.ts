import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { getItems } from "../runtime/get-items.ts";
import { timeOfEventId } from "../security/event-id.ts";
import type { HoldsEventsOf } from "./alert-places.ts";

/**
 * Says whose events are, of one organization's partition: a read unit each. The returned function throws DomainError
 * `store_unavailable`.
 */
export const createEventOwners =
  (client: DynamoDBDocumentClient, { tableName, scope }: { tableName: string; scope: string }): HoldsEventsOf =>
  async (eventIds, { userId, erasureId }) => {
    const keys = [...new Set(eventIds)].filter((id) => timeOfEventId(id) !== undefined).map((id) => ({ scope, id }));
    const { items } = await getItems(client, tableName, keys, {
      ConsistentRead: true,
      ProjectionExpression: "#userId, #erasure",
      ExpressionAttributeNames: { "#userId": "userId", "#erasure": "erasure" },
    });
    return items.some((item) => item.userId === userId || item.erasure === erasureId);
  };
