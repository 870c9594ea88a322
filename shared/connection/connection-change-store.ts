import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import type { ConnectionChange } from "./connection-changed.ts";
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

/**
 * What disconnecting found: the connection that it removed, none, or another than it was to remove. `untold`: changes
 * whose events are to be recorded, the one made now and one that was left behind.
 */
export type Disconnected = { outcome: "removed" | "none" | "another"; untold: readonly ConnectionChange[] };

/** Who disconnects, and when; the rest of the change follows from the connection. */
export type DisconnectedBy = Omit<ConnectionChange, "eventType" | "connectionId" | "accountId" | "method">;

const changesOf = ({ change }: StoredConnection): ConnectionChange[] => (change === undefined ? [] : [change]);

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
     * @returns the changes whose events are to be recorded: this one, and one that was left behind.
     * @throws DomainError `other_account` while records of another account are stored.
     */
    connect: (
      organizationId: string,
      connection: NewConnection,
      change: ConnectionChange,
    ): Promise<readonly ConnectionChange[]> =>
      settle(organizationId, async (before) => {
        const { accountId, tokenExpiresAt, webhookSecrets, ...rest } = connection;
        if (before.holdsRecordsOf !== undefined && before.holdsRecordsOf !== accountId) throw otherAccount();
        const wasConnected = before.status === "connected";
        const wasAccount = before.status === "disconnected" ? undefined : before.accountId;
        const keepsSecrets = webhookSecrets !== undefined || wasAccount === accountId;
        const update = {
          set: {
            ...{ status: "connected", connectedShard: connectedShardOf(organizationId), accountId, change, ...rest },
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
        return isDone ? { result: [...changesOf(before), change] } : undefined;
      }),

    /**
     * Removes the connection with its credentials and webhook secrets.
     * @param connectionId only this one.
     */
    disconnect: (organizationId: string, by: DisconnectedBy, connectionId?: string): Promise<Disconnected> =>
      settle(organizationId, async (before): Promise<{ result: Disconnected } | undefined> => {
        const left = changesOf(before);
        if (before.status === "disconnected") return { result: { outcome: "none", untold: left } };
        if (connectionId !== undefined && connectionId !== before.connectionId) {
          return { result: { outcome: "another", untold: left } };
        }
        const { connectionId: was, accountId, method } = before;
        const eventType = "PROVIDER_CONNECTION_REMOVED" as const;
        const change: ConnectionChange = { ...by, eventType, connectionId: was, accountId, method };
        const wasConnected = before.status === "connected";
        const update = {
          set: { status: "disconnected", token: newRequestToken(), change },
          remove: CONNECTION_FIELDS,
          condition: `#connectionId = :was AND attribute_${wasConnected ? "exists" : "not_exists"}(#connectedShard)`,
          values: { was },
        };
        const isDone = await write(organizationId, update, "token", wasConnected ? -1 : 0);
        return isDone ? { result: { outcome: "removed", untold: [...left, change] } } : undefined;
      }),

    /** Forgets a change whose event was recorded, unless there is a later one. One write unit. */
    async forgetChange(organizationId: string, { connectionId, eventType }: ConnectionChange): Promise<void> {
      const update = {
        set: { token: newRequestToken() },
        remove: ["change"],
        condition: "#change.#connectionId = :id AND #change.#eventType = :type",
        values: { id: connectionId, type: eventType },
      };
      await write(organizationId, update, "token");
    },

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
