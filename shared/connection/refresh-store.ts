import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { type ConnectedItem, connectedShardOf } from "./connection-item.ts";
import { createConnectionWriter } from "./connection-store.ts";

/** The credentials that are exchanged: of one connection, and one version of them. */
type Exchanged = Pick<ConnectedItem, "connectionId" | "credentialsVersion">;

/** The new credentials. `tokenExpiresAt` in epoch ms. */
type RefreshedTokens = { credentials: Uint8Array; credentialsVersion: string; tokenExpiresAt: number };

const SAME = "#connectionId = :exchangedId AND #credentialsVersion = :exchangedVersion";

const valuesOf = ({ connectionId, credentialsVersion }: Exchanged) => ({
  exchangedId: connectionId,
  exchangedVersion: credentialsVersion,
});

export type RefreshStore = ReturnType<typeof createRefreshStore>;

/** The lease of a token refresh, and its result. One write unit a call; all throw DomainError `store_unavailable`. */
export const createRefreshStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  marks: Pick<ConnectionMarkStore, "mark">,
) => {
  const write = createConnectionWriter(client, tableName, marks);
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
          condition: `${SAME} AND attribute_exists(#connectedShard) AND (attribute_not_exists(#refreshUntil) OR #refreshUntil <= :now)`,
          values: { ...valuesOf(exchanged), now },
        },
        "refreshOwner",
      ),

    /** Ends the lease if the owner still holds it. `until` is a time in the past. */
    async endLease(organizationId: string, owner: string, until: number): Promise<void> {
      const update = {
        set: { refreshUntil: until },
        condition: "#refreshOwner = :owner",
        values: { owner },
      };
      await write(organizationId, update, "refreshUntil");
    },

    /**
     * Replaces the exchanged tokens and ends the lease, even if another instance holds it: only the new tokens are valid.
     * If another exchange of the old tokens has failed meanwhile and set `needs_reconnect`, the status becomes
     * `connected` again.
     * @returns false if the connection was replaced or removed, or another instance has stored tokens already.
     */
    async storeTokens(organizationId: string, exchanged: Exchanged, tokens: RefreshedTokens): Promise<boolean> {
      const update = (reconnects: boolean) => ({
        set: {
          ...tokens,
          ...(reconnects && { status: "connected", connectedShard: connectedShardOf(organizationId) }),
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
