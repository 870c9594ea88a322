import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { expiryOf, hourName } from "../terms/hours.ts";
import { DETECTOR_SCOPE } from "./detection-keys.ts";

export type HeartbeatStore = ReturnType<typeof createHeartbeatStore>;

/** That detection ran: scope `#detector`, key the hour in which it did, `dispatchedAt` (epoch ms) and its counts. */
export const createHeartbeatStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => ({
  /** One write unit. @throws DomainError `store_unavailable`. */
  async beat(now: number, counts: Readonly<Record<string, number | boolean>>): Promise<void> {
    const command = new PutCommand({
      TableName: tableName,
      Item: {
        ...counts,
        scope: DETECTOR_SCOPE,
        key: hourName(now),
        dispatchedAt: now,
        ttl: expiryOf(now, retentionDays),
      },
    });
    await callStore((options) => client.send(command, options));
  },
});
