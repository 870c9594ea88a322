import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { renderUpdate } from "../runtime/render-update.ts";
import { organizationKey } from "../terms/keys.ts";
import type { EventKey } from "./webhook-event-store.ts";

/** No event has this id. */
const GAP = "#gap";

/** At most one run per organization and hour. */
const QUIET_MS = 3_600_000;

export type GapStore = ReturnType<typeof createGapStore>;

/**
 * Beside an organization's webhook events, the last one that made us look for others that never came: `askedAt` in
 * epoch ms, `eventId`, `ttl`.
 */
export const createGapStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Whether a late event is the first of its hour, and so the one that asks for a run. The same event may ask again,
   * because whoever asked on its behalf may have died before the run began. One write unit.
   * @throws DomainError `store_unavailable`.
   */
  async mayAsk({ organizationId, id }: EventKey, now: number): Promise<boolean> {
    const update = {
      set: { askedAt: now, eventId: id, ttl: Math.ceil((now + 2 * QUIET_MS) / 1_000) },
      condition: "attribute_not_exists(#askedAt) OR #askedAt <= :before OR #eventId = :own",
      values: { before: now - QUIET_MS, own: id },
    };
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope: organizationKey(organizationId), id: GAP },
      ...renderUpdate(update),
    });
    try {
      await callStore((options) => client.send(command, options));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  },
});
