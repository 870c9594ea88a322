import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { definedFields } from "../json/defined-fields.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { getItem } from "../runtime/get-item.ts";
import { renderUpdate } from "../runtime/render-update.ts";
import { expiryOf } from "../terms/hours.ts";
import type { FeedCursor } from "./feed-cursor.ts";
import { RUN_ATTRIBUTES, runKey, stateKey } from "./sync-item.ts";
import { SyncRun } from "./sync-run.ts";

export type SyncEndStore = ReturnType<typeof createSyncEndStore>;

/**
 * How runs end, in three steps: the item of the ended run decides the end once and for all; then the security events are
 * recorded; then the run is closed. A worker that finds a run decided and not closed repeats the last two steps.
 * All calls throw DomainError `store_unavailable`.
 */
export const createSyncEndStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => {
  /**
   * Decides how a run ends; a write unit per KB.
   * @returns the run's end: this one, or the one that was decided before.
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
    const { written } = await conditionalWrite((options) => client.send(command, options));
    if (written) return run;
    return SyncRun.parse(await getItem(client, tableName, key));
  };

  /** Closes a run if it is still there; a write unit per KB, two if the run is in the index. */
  const close = async (
    organizationId: string,
    { id, status, finishedAt }: SyncRun,
    cursor?: FeedCursor,
    also: { wantedSlot?: number } = {},
  ) => {
    const update = renderUpdate({
      set: { ...(status === "succeeded" && { lastSuccessAt: finishedAt, ...definedFields({ cursor }) }), ...also },
      remove: RUN_ATTRIBUTES,
      condition: "#run.#id = :id",
      values: { id },
    });
    const command = new UpdateCommand({ TableName: tableName, Key: stateKey(organizationId), ...update });
    await conditionalWrite((options) => client.send(command, options));
  };

  return {
    decide,

    /**
     * Closes a run whose end is decided and recorded.
     * @param cursor where the next run continues if this run succeeded; undefined keeps the last cursor.
     * @param also.wantedSlot of the run that must replace this one (missed-runs.ts).
     */
    close,
  };
};
