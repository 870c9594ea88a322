import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { type Table, unchanged } from "../runtime/table.ts";
import type { AccountDirectoryStore } from "./account-directory-store.ts";
import {
  type ConnectedItem,
  type ConnectionChange,
  connectedShardOf,
  type StoredConnection,
} from "./connection-item.ts";
import { createConnectionWriter, createForgetChange, createRetryOnConflict, leftBehind } from "./connection-writer.ts";

/**
 * The fields that a connect stores. Without webhook secrets, those of the same account stay, with the endpoint that
 * `registerWebhook` created.
 */
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
  | "webhookEndpointId"
>;

/** The fields that a disconnect removes. The claim on stored records stays. */
const CONNECTION_FIELDS = [
  "connectionId",
  "method",
  "accountId",
  "connectedAt",
  "credentials",
  "credentialsVersion",
  "tokenExpiresAt",
  "webhookSecrets",
  "webhookEndpointId",
  "refreshOwner",
  "refreshUntil",
  "connectedShard",
  "entryOf",
];

/**
 * `unrecorded`: changes whose events must be recorded: this one, and one that an earlier call left behind.
 * `replacedId`: of the replaced connection. `webhookEndpointId`: the stored one. `leftEndpointId`: the one of the replaced
 * connection, which nothing verifies now.
 */
export type Connected = {
  unrecorded: readonly ConnectionChange[];
  replacedId?: string;
  webhookEndpointId?: string;
  leftEndpointId?: string;
};

/**
 * `outcome`: the connection was removed, there was none, or another one than requested. `unrecorded`: changes whose
 * events must be recorded: this one, and one that an earlier call left behind.
 */
export type Disconnected = { outcome: "removed" | "none" | "another"; unrecorded: readonly ConnectionChange[] };

/** Who disconnects, and when. The other fields of the change come from the connection. */
type DisconnectedBy = Omit<ConnectionChange, "eventType" | "connectionId" | "accountId" | "method">;

const otherAccount = () =>
  new DomainError(
    "other_account",
    "Records of another account are stored. Have them erased before you connect this one.",
  );

export type ConnectionChangeStore = ReturnType<typeof createConnectionChangeStore>;

/**
 * Changes of a connection's status. One transaction changes the connection, the count of connected organizations, the
 * mark at the organization's circuit, and the account's item in the directory. All calls throw DomainError
 * `store_unavailable`.
 */
export const createConnectionChangeStore = (
  table: Table<"connections">,
  marks: Pick<ConnectionMarkStore, "mark">,
  directory: Pick<AccountDirectoryStore, "enter" | "leave">,
) => {
  const retryOnConflict = createRetryOnConflict(table);
  const write = createConnectionWriter(table, marks);

  /** The part that removes the organization's entry from the directory, if there is one. */
  const leaving = async (organizationId: string, { entryOf }: StoredConnection, now: number) =>
    entryOf === undefined ? [] : directory.leave(organizationId, entryOf, now);

  return {
    /**
     * Replaces the connection as a whole: of several concurrent connects the last one stays.
     * @throws DomainError `other_account` while records of another account are stored; `account_shared`.
     */
    connect: (organizationId: string, connection: NewConnection, change: ConnectionChange): Promise<Connected> =>
      retryOnConflict(organizationId, async (before) => {
        const { accountId, tokenExpiresAt, webhookSecrets, webhookEndpointId, ...rest } = connection;
        if (before.holdsRecordsOf !== undefined && before.holdsRecordsOf !== accountId) throw otherAccount();
        const wasConnected = before.status === "connected";
        const was = before.status === "disconnected" ? undefined : before;
        const { connectionId: wasId, accountId: wasAccount, webhookEndpointId: wasEndpoint } = was ?? {};
        const keepsSecrets = webhookSecrets === undefined && wasAccount === accountId;
        const same = [
          unchanged("accountId", wasAccount),
          unchanged("entryOf", before.entryOf),
          // A disconnect by an earlier version of the service leaves the attribute.
          ...(was === undefined ? [] : [unchanged("webhookEndpointId", wasEndpoint)]),
        ];
        const endpoint = webhookEndpointId ?? (keepsSecrets ? wasEndpoint : undefined);
        const update = {
          set: {
            status: "connected",
            connectedShard: connectedShardOf(organizationId),
            entryOf: accountId,
            accountId,
            change,
            ...rest,
            ...definedFields({ tokenExpiresAt, webhookSecrets, webhookEndpointId: endpoint }),
          },
          remove: [
            "refreshOwner",
            "refreshUntil",
            "token",
            ...(tokenExpiresAt === undefined ? ["tokenExpiresAt"] : []),
            ...(keepsSecrets || webhookSecrets !== undefined ? [] : ["webhookSecrets"]),
            ...(endpoint === undefined ? ["webhookEndpointId"] : []),
          ],
          condition: [
            "(attribute_not_exists(#holdsRecordsOf) OR #holdsRecordsOf = :ownAccount)",
            `attribute_${wasConnected ? "exists" : "not_exists"}(#connectedShard)`,
            ...same.map(({ condition }) => condition),
          ].join(" AND "),
          values: Object.assign({ ownAccount: accountId }, ...same.map(({ values }) => values)),
        };
        const isDone = await write(organizationId, update, "connectionId", wasConnected ? 0 : 1, async () => [
          ...(before.entryOf === accountId ? [] : await leaving(organizationId, before, change.at)),
          await directory.enter(organizationId, accountId, connection),
        ]);
        if (!isDone) return undefined;
        const left = wasAccount === accountId && wasEndpoint !== endpoint ? wasEndpoint : undefined;
        return {
          result: {
            unrecorded: [...leftBehind(before), change],
            ...definedFields({ replacedId: wasId, webhookEndpointId: endpoint, leftEndpointId: left }),
          },
        };
      }),

    /**
     * Removes the connection with its credentials and webhook secrets.
     * @param connectionId if given, remove only this connection.
     */
    disconnect: (organizationId: string, by: DisconnectedBy, connectionId?: string): Promise<Disconnected> =>
      retryOnConflict(organizationId, async (before): Promise<{ result: Disconnected } | undefined> => {
        const left = leftBehind(before);
        if (before.status === "disconnected") return { result: { outcome: "none", unrecorded: left } };
        if (connectionId !== undefined && connectionId !== before.connectionId) {
          return { result: { outcome: "another", unrecorded: left } };
        }
        const { connectionId: was, accountId, method } = before;
        const eventType = "PROVIDER_CONNECTION_REMOVED" as const;
        const change: ConnectionChange = { ...by, eventType, connectionId: was, accountId, method };
        const wasConnected = before.status === "connected";
        const entry = unchanged("entryOf", before.entryOf);
        const update = {
          set: { status: "disconnected", token: newRequestToken(), change },
          remove: CONNECTION_FIELDS,
          condition: [
            "#connectionId = :was",
            `attribute_${wasConnected ? "exists" : "not_exists"}(#connectedShard)`,
            entry.condition,
          ].join(" AND "),
          values: { was, ...entry.values },
        };
        const isDone = await write(organizationId, update, "token", wasConnected ? -1 : 0, () =>
          leaving(organizationId, before, by.at),
        );
        return isDone ? { result: { outcome: "removed", unrecorded: [...left, change] } } : undefined;
      }),

    /**
     * Enters a connection of an earlier version into the directory, unless it was replaced or removed since.
     * @throws DomainError `account_shared`.
     */
    async enterDirectory(
      organizationId: string,
      { connectionId, accountId, method }: Pick<ConnectedItem, "connectionId" | "accountId" | "method">,
    ): Promise<void> {
      const update = {
        set: { entryOf: accountId, token: newRequestToken() },
        condition: "#connectionId = :own AND attribute_not_exists(#entryOf)",
        values: { own: connectionId },
      };
      await write(organizationId, update, "token", 0, async () => [
        await directory.enter(organizationId, accountId, { connectionId, method }),
      ]);
    },

    forgetChange: createForgetChange(write),

    /**
     * Sets the status `needs_reconnect` and removes the credentials, if they are still the ones that failed.
     * @returns the changes whose events must be recorded: this one, and one that an earlier call left behind. Empty if
     *   the credentials were replaced or removed since, or another call has handled the same failure.
     */
    requireReconnect: (
      organizationId: string,
      { connectionId, credentialsVersion }: Pick<ConnectedItem, "connectionId" | "credentialsVersion">,
      change: ConnectionChange,
    ): Promise<readonly ConnectionChange[]> =>
      retryOnConflict(organizationId, async (before) => {
        const isSame = before.status === "connected" && before.connectionId === connectionId;
        if (!isSame || before.credentialsVersion !== credentialsVersion) return { result: [] };
        const update = {
          set: { status: "needs_reconnect", token: newRequestToken(), change },
          remove: ["credentials", "tokenExpiresAt", "refreshOwner", "refreshUntil", "connectedShard"],
          condition: "#connectionId = :failed AND #credentialsVersion = :version AND attribute_exists(#connectedShard)",
          values: { failed: connectionId, version: credentialsVersion },
        };
        const isDone = await write(organizationId, update, "token", -1);
        return isDone ? { result: [...leftBehind(before), change] } : undefined;
      }),
  };
};
