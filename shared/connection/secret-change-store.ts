/** Changes of a connection's secrets alone: of its tokens by a refresh, and of its webhook secrets by a user. */
import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { type Table, unchanged } from "../runtime/table.ts";
import {
  type AccountConnection,
  type ConnectedItem,
  type ConnectionChange,
  connectedShardOf,
} from "./connection-item.ts";
import { TOKEN_LIFE_MS } from "./connection-method.ts";
import {
  createConnectionWriter,
  createForgetChange,
  createRetryOnConflict,
  leftBehind,
  notConnected,
} from "./connection-writer.ts";

/** The credentials that are exchanged: of one connection, and one version of them. */
type Exchanged = Pick<ConnectedItem, "connectionId" | "credentialsVersion">;

/** The new credentials. `tokenExpiresAt` in epoch ms. */
type RefreshedTokens = Pick<ConnectedItem, "credentials" | "credentialsVersion" | "key"> & { tokenExpiresAt: number };

const SAME = "#connectionId = :exchangedId AND #credentialsVersion = :exchangedVersion";

const IS_FREE = "(attribute_not_exists(#refreshUntil) OR #refreshUntil <= :now)";

const valuesOf = ({ connectionId, credentialsVersion }: Exchanged) => ({
  exchangedId: connectionId,
  exchangedVersion: credentialsVersion,
});

export type RefreshStore = ReturnType<typeof createRefreshStore>;

/** The lease of a token refresh, and its result. One write unit a call; all throw DomainError `store_unavailable`. */
export const createRefreshStore = (table: Table<"connections">, marks: Pick<ConnectionMarkStore, "mark">) => {
  const write = createConnectionWriter(table, marks);
  return {
    /**
     * Takes the lease of exchanging these credentials.
     * @param lease.now, lease.until epoch ms.
     * @returns false if another instance holds the lease, or the credentials have changed.
     */
    takeLease: (
      organizationId: string,
      exchanged: Exchanged,
      { owner, now, until }: { owner: string; now: number; until: number },
    ): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { refreshOwner: owner, refreshUntil: until },
          condition: `${SAME} AND attribute_exists(#connectedShard) AND ${IS_FREE}`,
          values: { ...valuesOf(exchanged), now },
        },
        "refreshOwner",
      ),

    /** Ends the lease if the owner still holds it. `until` is a time in the past. */
    async endLease(organizationId: string, owner: string, until: number): Promise<void> {
      const update = { set: { refreshUntil: until }, condition: "#refreshOwner = :owner", values: { owner } };
      await write(organizationId, update, "refreshUntil");
    },

    /**
     * Replaces the exchanged tokens and ends the lease, even if another instance holds it: only the new tokens are valid.
     * If another exchange of the old tokens has failed since and set `needs_reconnect`, the status becomes `connected` again:
     *
     *     A: exchange ────────── new tokens ────────── write(connected) fails ── write(needs_reconnect): connected again
     *     B: exchange of the same tokens ── refused ── needs_reconnect
     * @returns false if the connection was replaced or removed, or another instance has stored tokens already.
     */
    async storeTokens(organizationId: string, exchanged: Exchanged, tokens: RefreshedTokens): Promise<boolean> {
      const update = (reconnects: boolean) => ({
        set: {
          ...tokens,
          ...(reconnects && {
            status: "connected",
            connectedShard: connectedShardOf(organizationId),
            connectedSince: tokens.tokenExpiresAt - TOKEN_LIFE_MS,
          }),
        },
        remove: ["refreshOwner", "refreshUntil"],
        condition: `${SAME} AND attribute_${reconnects ? "not_exists" : "exists"}(#connectedShard)`,
        values: valuesOf(exchanged),
      });
      const isStored = await write(organizationId, update(false), "credentialsVersion");
      return isStored || (await write(organizationId, update(true), "credentialsVersion", 1));
    },
  };
};

export type WebhookSecretsStore = ReturnType<typeof createWebhookSecretsStore>;

/** Changes of a connection's webhook secrets only. All calls throw DomainError `store_unavailable`. */
export const createWebhookSecretsStore = (table: Table<"connections">) => {
  const retryOnConflict = createRetryOnConflict(table);
  const write = createConnectionWriter(table);
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
        const isSame = unchanged("webhookSecrets", webhookSecrets);
        const update = {
          set: { ...next, token: newRequestToken() },
          condition: `#connectionId = :own AND ${isSame.condition}`,
          values: { own: connectionId, ...isSame.values },
        };
        if (!(await write(organizationId, update, "token"))) return undefined;
        return { result: { connection: before, unrecorded: [...leftBehind(before), next.change] } };
      }),

    forgetChange: createForgetChange(write),
  };
};
