import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { type Table, unchanged } from "../runtime/table.ts";
import type { AccountDirectoryStore } from "./account-directory-store.ts";
import { endSpan, unbrokenSince } from "./connected-spans.ts";
import {
  type ConnectedItem,
  type ConnectionChange,
  connectedShardOf,
  type StoredConnection,
} from "./connection-item.ts";
import { createConnectionWriter, createForgetChange, createRetryOnConflict, leftBehind } from "./connection-writer.ts";
import type { EndpointCheck } from "./endpoint-check.ts";

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
  | "acceptedAt"
  | "key"
  | "webhookSecrets"
  | "webhookEndpointId"
  | "endpointCheck"
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
  "acceptedAt",
  "key",
  "webhookSecrets",
  "webhookEndpointId",
  "endpointCheck",
  "refreshOwner",
  "refreshUntil",
  "connectedShard",
  "connectedSince",
  "entryOf",
];

/** The fields that rejected credentials remove. */
const VALID_FIELDS = [
  "credentials",
  "tokenExpiresAt",
  "acceptedAt",
  "refreshOwner",
  "refreshUntil",
  "connectedShard",
  "connectedSince",
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
  endpointCheck?: EndpointCheck;
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

  /**
   * That the directory's entry is the one that was read, because a displaced connection may have entered it again since, and
   * that the connection was not broken since.
   */
  const sameEntry = (before: StoredConnection) => {
    const connected = before.status === "connected" ? before : undefined;
    const same = [
      unchanged("entryOf", before.entryOf),
      unchanged("acceptedAt", connected?.acceptedAt),
      ...(connected === undefined ? [] : [unchanged("connectedSince", connected.connectedSince)]),
    ];
    return {
      condition: same.map(({ condition }) => condition).join(" AND "),
      values: Object.assign({}, ...same.map(({ values }) => values)),
    };
  };

  return {
    /**
     * Replaces the connection as a whole: of several concurrent connects the last one stays.
     * @throws DomainError `other_account` while records of another account are stored; `account_shared`.
     */
    connect: (organizationId: string, connection: NewConnection, change: ConnectionChange): Promise<Connected> =>
      retryOnConflict(organizationId, async (before) => {
        const { accountId, tokenExpiresAt, acceptedAt, webhookSecrets, webhookEndpointId, key, ...rest } = connection;
        if (before.holdsRecordsOf !== undefined && before.holdsRecordsOf !== accountId) throw otherAccount();
        const wasConnected = before.status === "connected";
        const was = before.status === "disconnected" ? undefined : before;
        const { connectionId: wasId, accountId: wasAccount, webhookEndpointId: wasEndpoint } = was ?? {};
        const isSameKey = key?.digest !== undefined && key.digest === was?.key?.digest;
        const keepsSecrets = webhookSecrets === undefined && wasAccount === accountId;
        const same = [
          unchanged("accountId", wasAccount),
          sameEntry(before),
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
            ...definedFields({ tokenExpiresAt, acceptedAt, webhookSecrets, webhookEndpointId: endpoint }),
            ...definedFields({ key: isSameKey ? was.key : key }),
            ...(before.status === "connected" && { connectedSince: unbrokenSince(before) }),
          },
          remove: [
            "refreshOwner",
            "refreshUntil",
            "token",
            ...(wasConnected ? [] : ["connectedSince"]),
            ...(key === undefined ? ["key"] : []),
            ...(tokenExpiresAt === undefined ? ["tokenExpiresAt"] : []),
            ...(acceptedAt === undefined ? ["acceptedAt"] : []),
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
          await directory.enter(organizationId, accountId, connection, change.at),
        ]);
        if (!isDone) return undefined;
        const check = connection.endpointCheck ?? was?.endpointCheck;
        const left = wasAccount === accountId && wasEndpoint !== endpoint ? wasEndpoint : undefined;
        return {
          result: {
            unrecorded: [...leftBehind(before), change],
            ...definedFields({
              replacedId: wasId,
              webhookEndpointId: endpoint,
              leftEndpointId: left,
              endpointCheck: check,
            }),
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
        const entry = sameEntry(before);
        const update = {
          set: {
            status: "disconnected",
            token: newRequestToken(),
            change,
            ...(before.status === "connected" && endSpan(before, by.at)),
          },
          // After a user's disconnect, the alerts are resolved. An erasure of all data removes them.
          remove: by.source === "user" ? CONNECTION_FIELDS : [...CONNECTION_FIELDS, "keyAlerts"],
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
     * Enters a connection without an entry into the directory, unless it was replaced or removed since: one of an earlier
     * version, or one that became `connected` again by tokens that arrived late.
     * @param now epoch ms.
     * @throws DomainError `account_shared`.
     */
    async enterDirectory(
      organizationId: string,
      { connectionId, accountId, method }: Pick<ConnectedItem, "connectionId" | "accountId" | "method">,
      now: number,
    ): Promise<void> {
      const update = {
        set: { entryOf: accountId, token: newRequestToken() },
        condition: "#connectionId = :own AND attribute_not_exists(#entryOf)",
        values: { own: connectionId },
      };
      await write(organizationId, update, "token", 0, async () => [
        await directory.enter(organizationId, accountId, { connectionId, method }, now),
      ]);
    },

    /**
     * Notes that the provider has accepted a connection's API key, in the connection and in its entry, unless the key was
     * replaced or removed since. A displaced connection enters the directory again. If the account has no room, the
     * connection stays without an entry. One read unit and four write units.
     * @param at epoch ms.
     */
    async noteAccepted(
      organizationId: string,
      accepted: Pick<ConnectedItem, "connectionId" | "credentialsVersion" | "accountId" | "acceptedAt">,
      at: number,
    ): Promise<void> {
      const { connectionId, credentialsVersion, accountId, acceptedAt } = accepted;
      const isSame = "#connectionId = :own AND #credentialsVersion = :version AND attribute_exists(#connectedShard)";
      const values = { own: connectionId, version: credentialsVersion };
      const noted = () => ({ acceptedAt: at, token: newRequestToken() });
      const entry = { connectionId, method: "api_key" as const, acceptedAt: at };
      try {
        const update = { set: { ...noted(), entryOf: accountId }, condition: isSame, values };
        await write(organizationId, update, "token", 0, async () => [
          await directory.enter(organizationId, accountId, entry, at),
        ]);
      } catch (error) {
        if (!(error instanceof DomainError && error.code === "account_shared")) throw error;
        // Not if another call has noted it since, because that call may have entered the connection.
        const before = unchanged("acceptedAt", acceptedAt);
        const update = {
          set: noted(),
          remove: ["entryOf"],
          condition: `${isSame} AND ${before.condition}`,
          values: { ...values, ...before.values },
        };
        await write(organizationId, update, "token");
      }
    },

    forgetChange: createForgetChange(write),

    /**
     * Sets the status `needs_reconnect` and removes the credentials, if they are still the ones that failed. The
     * organization leaves the directory: its place is free for others, and it enters again when it is connected.
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
        const entry = sameEntry(before);
        const isSameKey =
          "#connectionId = :failed AND #credentialsVersion = :version AND attribute_exists(#connectedShard)";
        const update = {
          set: {
            status: "needs_reconnect",
            token: newRequestToken(),
            change,
            ...endSpan(before, change.at),
          },
          remove: VALID_FIELDS,
          condition: `${isSameKey} AND ${entry.condition}`,
          values: { failed: connectionId, version: credentialsVersion, ...entry.values },
        };
        const isDone = await write(organizationId, update, "token", -1, () =>
          leaving(organizationId, before, change.at),
        );
        return isDone ? { result: [...leftBehind(before), change] } : undefined;
      }),
  };
};
