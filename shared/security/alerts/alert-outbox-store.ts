import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore, isTransactionConflict } from "../../runtime/call-store.ts";
import { queryPage } from "../../runtime/query-page.ts";
import { organizationIdOf, organizationKey } from "../../terms/keys.ts";
import type { Alert, ChangedAlert } from "./alert.ts";
import { isExpired, parseAlertItem, pendingChange, toAlert } from "./alert-item.ts";
import { hashOfAlertId, outboxShards, resolvedKey, unresolvedKey } from "./alert-key.ts";

const Entry = z.object({ scope: z.string(), key: z.string() });

export type AlertOutboxStore = ReturnType<typeof createAlertOutboxStore>;

/**
 * Changes of alerts that are not known to be published. Each change puts its alert here by the very write that makes
 * it; whoever has published it takes it out. What is left behind was never published, or nobody knows.
 */
export const createAlertOutboxStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** Takes an alert out, unless it has changed since. One write; whoever fails here leaves it to the next sweep. */
  async remove(organizationId: string, { id, revision, status }: Alert): Promise<void> {
    const key = status === "resolved" ? resolvedKey(id) : unresolvedKey(hashOfAlertId(id) ?? "");
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope: organizationKey(organizationId), key },
      UpdateExpression: "REMOVE #shard, #at, #change",
      ConditionExpression: "#id = :id AND #revision = :revision",
      ExpressionAttributeNames: {
        "#shard": "outboxShard",
        "#at": "outboxAt",
        "#change": "outboxChange",
        "#id": "id",
        "#revision": "revision",
      },
      ExpressionAttributeValues: { ":id": id, ":revision": revision },
    });
    try {
      await callStore((options) => client.send(command, options));
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException || isTransactionConflict(error)) return;
      throw error;
    }
  },

  /**
   * Changes that have waited since before a time, oldest first in each part of the outbox; at most `limit` of a part.
   * Half a read unit for each of 8 parts, and one for each change.
   * @param before and `now` epoch ms.
   */
  async list({ before, now, limit }: { before: number; now: number; limit: number }): Promise<ChangedAlert[]> {
    const readPart = async (shard: string): Promise<ChangedAlert[]> => {
      const query = {
        TableName: tableName,
        IndexName: "byOutbox",
        KeyConditionExpression: "#shard = :shard AND #at < :before",
        ExpressionAttributeNames: { "#shard": "outboxShard", "#at": "outboxAt" },
        ExpressionAttributeValues: { ":shard": shard, ":before": before },
      };
      const { items } = await queryPage(client, query, limit);
      const found: ChangedAlert[] = [];
      for (const entry of items) {
        const { scope, key } = Entry.parse(entry);
        const command = new GetCommand({ TableName: tableName, Key: { scope, key }, ConsistentRead: true });
        const { Item } = await callStore((options) => client.send(command, options));
        const item = Item && parseAlertItem(Item);
        // Resolved, published or expired meanwhile: another entry says so, or nothing is left to say.
        if (item?.outboxAt === undefined || isExpired(item, now)) continue;
        found.push({
          organizationId: organizationIdOf(scope),
          alert: toAlert(item),
          change: pendingChange(item),
          at: item.outboxAt,
        });
      }
      return found;
    };
    const parts = await Promise.all(outboxShards.map(readPart));
    return parts.flat();
  },
});
