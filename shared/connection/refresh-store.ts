import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { type ConnectedItem, connectedShardOf } from "./connection-item.ts";
import { createConnectionWriter } from "./connection-write-store.ts";

/** The credentials that are being exchanged, of one connection and of no later one. */
export type Exchanged = Pick<ConnectedItem, "connectionId" | "credentialsVersion">;

/** What takes their place. `tokenExpiresAt` in epoch ms. */
export type RefreshedTokens = { credentials: Uint8Array; credentialsVersion: string; tokenExpiresAt: number };

const SAME = "#connectionId = :exchangedId AND #credentialsVersion = :exchangedVersion";

const valuesOf = ({ connectionId, credentialsVersion }: Exchanged) => ({
  exchangedId: connectionId,
  exchangedVersion: credentialsVersion,
});

export type RefreshStore = ReturnType<typeof createRefreshStore>;

/**
 * The refreshing of an organization's tokens, one at a time. One write unit a call, and all throw DomainError
 * `store_unavailable` when the table does not answer.
 */
export const createRefreshStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  marks: Pick<ConnectionMarkStore, "mark">,
) => {
  const write = createConnectionWriter(client, tableName, marks);
  return {
    /**
     * Takes the lease, which says by being there that these credentials are being exchanged.
     * @param lease.now, lease.until epoch ms.
     * @returns false where another has it, or the credentials are not these any more.
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

    /** Gives the lease back, where it is still the owner's; `until` is a time that has passed. */
    async endLease(organizationId: string, owner: string, until: number): Promise<void> {
      const update = {
        set: { refreshUntil: until },
        condition: "#refreshOwner = :owner",
        values: { owner },
      };
      await write(organizationId, update, "refreshUntil");
    },

    /**
     * Puts the new tokens in the place of those that were exchanged, and ends the lease, whosever it is: who exchanged
     * them has the only ones that are good. Where a later exchange of the old ones failed meanwhile, and so the
     * connection was said to need another, this heals it.
     * @returns false where the connection was replaced or removed, or others' tokens are stored already.
     */
    async storeTokens(organizationId: string, exchanged: Exchanged, tokens: RefreshedTokens): Promise<boolean> {
      const update = (isHealing: boolean) => ({
        set: {
          ...tokens,
          ...(isHealing && { status: "connected", connectedShard: connectedShardOf(organizationId) }),
        },
        remove: ["refreshOwner", "refreshUntil"],
        condition: `${SAME} AND attribute_${isHealing ? "not_exists" : "exists"}(#connectedShard)`,
        values: valuesOf(exchanged),
      });
      const isStored = await write(organizationId, update(false), "credentialsVersion");
      return isStored || (await write(organizationId, update(true), "credentialsVersion", 1));
    },
  };
};
