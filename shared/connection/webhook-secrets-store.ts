import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { definedFields } from "../json/defined-fields.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { createForgetChange, createRetryOnConflict, leftBehind, notConnected } from "./connection-change-writes.ts";
import type { AccountConnection, ConnectionChange } from "./connection-item.ts";
import { createConnectionStore, createConnectionWriter } from "./connection-store.ts";

export type WebhookSecretsStore = ReturnType<typeof createWebhookSecretsStore>;

/** Changes of a connection's webhook secrets only. All calls throw DomainError `store_unavailable`. */
export const createWebhookSecretsStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const retryOnConflict = createRetryOnConflict(createConnectionStore(client, tableName));
  const write = createConnectionWriter(client, tableName);
  return {
    /**
     * Replaces the webhook secrets of a connection; of several concurrent changes each sees the one before.
     * @param decide makes the new secrets of the stored ones; undefined changes nothing.
     * @returns the connection, and the changes whose events must be recorded.
     * @throws DomainError `not_connected`.
     */
    change: (
      organizationId: string,
      decide: (
        before: AccountConnection,
      ) => Promise<{ webhookSecrets: Uint8Array; change: ConnectionChange } | undefined>,
    ): Promise<{ connection: AccountConnection; unrecorded: readonly ConnectionChange[] }> =>
      retryOnConflict(organizationId, async (before) => {
        if (before.status === "disconnected") throw notConnected();
        const next = await decide(before);
        if (next === undefined) return { result: { connection: before, unrecorded: leftBehind(before) } };
        const { connectionId, webhookSecrets } = before;
        const areSame =
          webhookSecrets === undefined ? "attribute_not_exists(#webhookSecrets)" : "#webhookSecrets = :was";
        const update = {
          set: { ...next, token: newRequestToken() },
          condition: `#connectionId = :own AND ${areSame}`,
          values: { own: connectionId, ...definedFields({ was: webhookSecrets }) },
        };
        if (!(await write(organizationId, update, "token"))) return undefined;
        return { result: { connection: before, unrecorded: [...leftBehind(before), next.change] } };
      }),

    forgetChange: createForgetChange(write),
  };
};
