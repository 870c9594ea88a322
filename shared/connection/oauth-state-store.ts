import { createHash } from "node:crypto";
import { DeleteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { conditionalWrite, putIfUnchanged } from "../runtime/conditional-write.ts";
import { newRequestToken } from "../runtime/ids.ts";

/** The mark stays this long after its state has expired, because clocks differ. */
const MARGIN_SECONDS = 3_600;

/** `id`: the digest of the state; `owner`: the call that used it; `ttl`: epoch seconds. */
const keyOf = (state: string) => ({ id: `state#${createHash("sha256").update(state).digest("base64url")}` });

export type OAuthStateStore = ReturnType<typeof createOAuthStateStore>;

/** The used OAuth states. One write unit a call; both throw DomainError `store_unavailable`. */
export const createOAuthStateStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Marks a state as used.
   * @param expiresAt when the state expires, in epoch ms.
   * @returns the mark, for `release`; undefined if the state was used before.
   */
  async markUsed(state: string, expiresAt: number): Promise<string | undefined> {
    const owner = newRequestToken();
    const item = { ...keyOf(state), owner, ttl: Math.ceil(expiresAt / 1000) + MARGIN_SECONDS };
    const isWritten = await putIfUnchanged(client, tableName, item, { attribute: "owner", previous: undefined });
    return isWritten ? owner : undefined;
  },

  /** Removes the mark, so that the state is valid again. */
  async release(state: string, mark: string): Promise<void> {
    const command = new DeleteCommand({
      TableName: tableName,
      Key: keyOf(state),
      ConditionExpression: "#owner = :mark",
      ExpressionAttributeNames: { "#owner": "owner" },
      ExpressionAttributeValues: { ":mark": mark },
    });
    // The condition fails if an earlier attempt removed the mark and its answer was lost.
    await conditionalWrite((options) => client.send(command, options));
  },
});
