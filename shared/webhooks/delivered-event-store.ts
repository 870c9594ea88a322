import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { getItems } from "../runtime/get-items.ts";
import { organizationKey } from "../terms/keys.ts";
import type { Outcome } from "./webhook-event.ts";

const DeliveredItem = z.object({ id: z.string(), outcome: z.optional(z.string()) });

export type DeliveredEvents = ReturnType<typeof createDeliveredEvents>;

/** What the sync asks of webhooks: which events of the feed need not be applied again. */
export const createDeliveredEvents = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Those of the events that a webhook brought and whose observations are in the records. One that was brought and not
   * processed yet, or could not be, is none of them. Half a read unit per 4 KB of each; may lag by a second.
   * @throws DomainError `store_unavailable`.
   */
  async delivered(organizationId: string, eventIds: readonly string[]): Promise<Set<string>> {
    const scope = organizationKey(organizationId);
    const keys = [...new Set(eventIds)].map((id) => ({ scope, id }));
    const { items } = await getItems(client, tableName, keys, {
      ProjectionExpression: "#id, #outcome",
      ExpressionAttributeNames: { "#id": "id", "#outcome": "outcome" },
    });
    const applied: Outcome = "applied";
    return new Set(
      items
        .map((item) => DeliveredItem.parse(item))
        .filter(({ outcome }) => outcome === applied)
        .map(({ id }) => id),
    );
  },
});
