import { createHash } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { putIfUnchanged } from "../runtime/conditional-write.ts";
import { newRequestToken } from "../runtime/ids.ts";

/** A mark outlives its state by so long, because clocks differ. */
const MARGIN_SECONDS = 3_600;

/** `id`: the state's digest, `owner`: who used it, `ttl`: epoch seconds. */
const keyOf = (state: string) => ({ id: `state#${createHash("sha256").update(state).digest("base64url")}` });

export type UsedStateStore = ReturnType<typeof createUsedStateStore>;

/** Which OAuth states were used. Both throw DomainError `store_unavailable` when the table does not answer. */
export const createUsedStateStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Marks a state as used; one write unit.
   * @param expiresAt until when the state is good, in epoch ms.
   * @returns the mark, for `unmark`; undefined where it was used before.
   */
  async mark(state: string, expiresAt: number): Promise<string | undefined> {
    const owner = newRequestToken();
    const item = { ...keyOf(state), owner, ttl: Math.ceil(expiresAt / 1000) + MARGIN_SECONDS };
    const isWritten = await putIfUnchanged(client, tableName, item, { attribute: "owner", previous: undefined });
    return isWritten ? owner : undefined;
  },

  /** Takes a mark away, so that the state is good again; one write unit. */
  async unmark(state: string, mark: string): Promise<void> {
    const command = new DeleteCommand({
      TableName: tableName,
      Key: keyOf(state),
      ConditionExpression: "#owner = :mark",
      ExpressionAttributeNames: { "#owner": "owner" },
      ExpressionAttributeValues: { ":mark": mark },
    });
    await callStore((options) => client.send(command, options)).catch((error: unknown) => {
      // Gone already: by our own first try, if its answer was lost.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  },
});
