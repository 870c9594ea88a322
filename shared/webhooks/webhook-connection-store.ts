import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { organizationKey } from "../terms/keys.ts";
import type { WebhookConnection } from "./receive.ts";

/** What of a connection the webhook URL reads: no credentials, not even sealed ones, which its role could not open. */
export const WEBHOOK_ATTRIBUTES = ["id", "connectionId", "accountId", "webhookSecrets"] as const;

/** The part of a connection's item (shared/connection/connection-item.ts); all of it goes when it is disconnected. */
const Item = z.object({
  connectionId: z.optional(z.string()),
  accountId: z.optional(z.string()),
  webhookSecrets: z.optional(z.instanceof(Uint8Array)),
});

export type WebhookConnectionStore = ReturnType<typeof createWebhookConnectionStore>;

export const createWebhookConnectionStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * The connection that webhooks of an organization belong to, read strongly: one read unit up to 4 KB. One that waits
   * to be made anew counts: its account's events go on.
   * @returns undefined where there is none, or none that has webhook secrets.
   * @throws DomainError `store_unavailable`.
   */
  async read(organizationId: string): Promise<WebhookConnection | undefined> {
    const names = WEBHOOK_ATTRIBUTES.map((name) => [`#${name}`, name]);
    const command = new GetCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ConsistentRead: true,
      ProjectionExpression: names.map(([name]) => name).join(", "),
      ExpressionAttributeNames: Object.fromEntries(names),
    });
    const { Item: item = {} } = await callStore((options) => client.send(command, options));
    const { connectionId, accountId, webhookSecrets } = Item.parse(item);
    if (connectionId === undefined || accountId === undefined || webhookSecrets === undefined) return undefined;
    return { connectionId, accountId, webhookSecrets };
  },
});
