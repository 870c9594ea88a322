import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { renderUpdate } from "../runtime/render-update.ts";
import { expiryOf } from "../terms/hours.ts";
import type { FeedCursor } from "./feed-cursor.ts";
import { parseState, RUN_ATTRIBUTES, runKey, stateKey, toSyncRun } from "./sync-item.ts";
import { SyncRun } from "./sync-run.ts";
import { cursorOf } from "./sync-work.ts";

/** A run that was cancelled. Its worker writes nothing more from `quietAt` on (epoch ms), and no checkpoint at all. */
export type Cancelled = { run: SyncRun; quietAt: number };

export type SyncEndStore = ReturnType<typeof createSyncEndStore>;

/**
 * How runs end. First the end is decided, once and for all, by the item of the run that is over; then what follows is
 * done, security events for one; then the run is closed. Whoever finds a run decided and not closed repeats the rest.
 * All calls throw DomainError `store_unavailable` when the table does not answer.
 */
export const createSyncEndStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => {
  /**
   * Decides how a run ends; a write unit per KB.
   * @returns its end: this one, or the one that was decided before.
   */
  const decide = async (organizationId: string, run: SyncRun): Promise<SyncRun> => {
    const key = runKey(organizationId, run.id);
    const ttl = expiryOf(run.finishedAt ?? run.startedAt, retentionDays);
    const command = new PutCommand({
      TableName: tableName,
      Item: { ...run, ...key, ttl },
      ConditionExpression: "attribute_not_exists(#key)",
      ExpressionAttributeNames: { "#key": "key" },
    });
    try {
      await callStore((options) => client.send(command, options));
      return run;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const read = new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true });
      const { Item } = await callStore((options) => client.send(read, options));
      return SyncRun.parse(Item);
    }
  };

  /** Closes a run, if it is still there; a write unit per KB, two where the index has it. */
  const close = async (organizationId: string, { id, status, finishedAt }: SyncRun, cursor?: FeedCursor) => {
    const update = renderUpdate({
      set: status === "succeeded" ? { lastSuccessAt: finishedAt, ...(cursor !== undefined && { cursor }) } : {},
      remove: RUN_ATTRIBUTES,
      condition: "#run.#id = :id",
      values: { id },
    });
    const command = new UpdateCommand({ TableName: tableName, Key: stateKey(organizationId), ...update });
    try {
      await callStore((options) => client.send(command, options));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };

  return {
    decide,

    /**
     * Closes a run whose end was decided and told of.
     * @param cursor where the next run goes on from, after a run that succeeded; without one the last cursor stays.
     */
    close,

    /**
     * Ends whatever run is under way as `cancelled`, at once; its worker stops at its next checkpoint. A read and up
     * to three write units; where no run is under way, the read. It leaves no security event: what cancels a run
     * (a connection that ends or is made anew, an erasure) has one of its own.
     */
    async cancel(organizationId: string, now: number): Promise<Cancelled | undefined> {
      const command = new GetCommand({ TableName: tableName, Key: stateKey(organizationId), ConsistentRead: true });
      const { Item } = await callStore((options) => client.send(command, options));
      const { run, leaseUntil = now } = parseState(Item);
      if (run === undefined) return undefined;
      const ended = await decide(organizationId, { ...toSyncRun(run), status: "cancelled", finishedAt: now });
      await close(organizationId, ended, cursorOf(run.work));
      return { run: ended, quietAt: Math.max(now, leaseUntil) };
    },
  };
};
