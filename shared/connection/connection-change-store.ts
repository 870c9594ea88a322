import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { type ConnectedItem, connectedShardOf, type StoredConnection } from "./connection-item.ts";
import { createConnectionStore } from "./connection-store.ts";
import { createConnectionWriter } from "./connection-write-store.ts";

const MAX_ATTEMPTS = 12;

/** What a connect stores. Without webhook secrets those of the same account stay. */
export type NewConnection = Pick<
  ConnectedItem,
  | "connectionId"
  | "method"
  | "accountId"
  | "connectedAt"
  | "credentials"
  | "credentialsVersion"
  | "tokenExpiresAt"
  | "webhookSecrets"
>;

/** Everything of a connection but the claim on stored records, which outlives it. */
const CONNECTION_FIELDS = [
  "connectionId",
  "method",
  "accountId",
  "connectedAt",
  "credentials",
  "credentialsVersion",
  "tokenExpiresAt",
  "webhookSecrets",
  "refreshOwner",
  "refreshUntil",
  "connectedShard",
];

/** What disconnecting found: the connection that it removed, none, or another than it was to remove. */
export type Disconnected =
  | { outcome: "removed"; connection: Exclude<StoredConnection, { status: "disconnected" }> }
  | { outcome: "none" | "another" };

const otherAccount = () =>
  new DomainError(
    "other_account",
    "Records of another account are stored. Have them erased before you connect this one.",
  );

export type ConnectionChangeStore = ReturnType<typeof createConnectionChangeStore>;

/**
 * The changes of a connection's status, each made together with the count of connected organizations and the mark at
 * the organization's circuit. All calls throw DomainError `store_unavailable` when a table does not answer.
 */
export const createConnectionChangeStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  marks: Pick<ConnectionMarkStore, "mark">,
) => {
  const { read } = createConnectionStore(client, tableName);
  const write = createConnectionWriter(client, tableName, marks);

  /** Reads and tries until what was read still holds when it is written. */
  const settle = async <Result>(
    organizationId: string,
    attempt: (before: StoredConnection) => Promise<{ result: Result } | undefined>,
  ): Promise<Result> => {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const settled = await attempt(await read(organizationId));
      if (settled !== undefined) return settled.result;
      await pauseBeforeRetry(attempts);
    }
    throw new DomainError("store_unavailable", "The connection changes too fast. Try again.");
  };

  return {
    /**
     * Puts a connection in place of whatever there was, as a whole: of several at once the last one stays.
     * @throws DomainError `other_account` while records of another account are stored.
     */
    connect: (organizationId: string, connection: NewConnection): Promise<void> =>
      settle(organizationId, async (before) => {
        const { accountId, tokenExpiresAt, webhookSecrets, ...rest } = connection;
        if (before.holdsRecordsOf !== undefined && before.holdsRecordsOf !== accountId) throw otherAccount();
        const wasConnected = before.status === "connected";
        const wasAccount = before.status === "disconnected" ? undefined : before.accountId;
        const keepsSecrets = webhookSecrets !== undefined || wasAccount === accountId;
        const update = {
          set: {
            ...{ status: "connected", connectedShard: connectedShardOf(organizationId), accountId, ...rest },
            ...(tokenExpiresAt !== undefined && { tokenExpiresAt }),
            ...(webhookSecrets !== undefined && { webhookSecrets }),
          },
          remove: [
            ...["refreshOwner", "refreshUntil", "token"],
            ...(tokenExpiresAt === undefined ? ["tokenExpiresAt"] : []),
            ...(keepsSecrets ? [] : ["webhookSecrets"]),
          ],
          condition: [
            "(attribute_not_exists(#holdsRecordsOf) OR #holdsRecordsOf = :ownAccount)",
            `attribute_${wasConnected ? "exists" : "not_exists"}(#connectedShard)`,
            wasAccount === undefined ? "attribute_not_exists(#accountId)" : "#accountId = :wasAccount",
          ].join(" AND "),
          values: { ownAccount: accountId, ...(wasAccount !== undefined && { wasAccount }) },
        };
        const isDone = await write(organizationId, update, "connectionId", wasConnected ? 0 : 1);
        return isDone ? { result: undefined } : undefined;
      }),

    /**
     * Removes the connection with its credentials and webhook secrets.
     * @param connectionId only this one.
     */
    disconnect: (organizationId: string, connectionId?: string): Promise<Disconnected> =>
      settle(organizationId, async (before): Promise<{ result: Disconnected } | undefined> => {
        if (before.status === "disconnected") return { result: { outcome: "none" } };
        if (connectionId !== undefined && connectionId !== before.connectionId) {
          return { result: { outcome: "another" } };
        }
        const wasConnected = before.status === "connected";
        const update = {
          set: { status: "disconnected", token: newRequestToken() },
          remove: CONNECTION_FIELDS,
          condition: `#connectionId = :was AND attribute_${wasConnected ? "exists" : "not_exists"}(#connectedShard)`,
          values: { was: before.connectionId },
        };
        const isDone = await write(organizationId, update, "token", wasConnected ? -1 : 0);
        return isDone ? { result: { outcome: "removed", connection: before } } : undefined;
      }),

    /**
     * Says that a connection must be made anew, and destroys its credentials, if they are those that failed.
     * @returns whether it was this call that did.
     */
    requireReconnect: (
      organizationId: string,
      { connectionId, credentialsVersion }: Pick<ConnectedItem, "connectionId" | "credentialsVersion">,
    ): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { status: "needs_reconnect", token: newRequestToken() },
          remove: ["credentials", "tokenExpiresAt", "refreshOwner", "refreshUntil", "connectedShard"],
          condition: "#connectionId = :failed AND #credentialsVersion = :version AND attribute_exists(#connectedShard)",
          values: { failed: connectionId, version: credentialsVersion },
        },
        "token",
        -1,
      ),
  };
};
