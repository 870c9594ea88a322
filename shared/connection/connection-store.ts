/** The table of connections: reads, and the claim on stored records. Items: connection-item.ts. */

import * as z from "zod/mini";
import { newRequestToken } from "../runtime/ids.ts";
import { getItem, type Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { CONNECTED_ORGANIZATIONS } from "../terms/tables.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import {
  CONNECTED_COUNT_KEY,
  type ConnectedItem,
  connectedShards,
  parseConnection,
  type StoredConnection,
} from "./connection-item.ts";
import { connectionMethods } from "./connection-method.ts";
import { createConnectionWriter } from "./connection-writer.ts";
import { isProofDue } from "./platform-events.ts";

export type ConnectionStore = ReturnType<typeof createConnectionStore>;

/** The connection of each organization. connection-change-store.ts changes it. */
export const createConnectionStore = (table: Table<"connections">) => ({
  /**
   * Reads the connection strongly consistent: one read unit. `disconnected` if there never was one.
   * @throws DomainError `store_unavailable`.
   */
  read: async (organizationId: string): Promise<StoredConnection> =>
    parseConnection(await getItem(table, { id: organizationKey(organizationId) })),
});

const Count = z.object({ n: z.number() });
const Entry = z.object({ id: z.string() });

/** What a proof depends on. The organization may have ended or replaced the connection since the index was read. */
const Proved = z.object({
  id: z.string(),
  connectedShard: z.optional(z.string()),
  method: z.optional(z.enum(connectionMethods)),
  acceptedAt: z.optional(z.number()),
});

/** The connected organizations. All throw DomainError `store_unavailable`, and may lag by a second. */
export const createConnectedStore = (table: Table<"connections">) => {
  /**
   * All connected organizations, each once, by shard and then by key. Half a read unit per 4 KB of the index, which
   * has about 60 bytes per organization.
   */
  async function* connectedOrganizations(): AsyncGenerator<string, void, void> {
    const entries = readIndex(table, { ...CONNECTED_ORGANIZATIONS, shards: connectedShards });
    for await (const item of entries) yield organizationIdOf(Entry.parse(item).id);
  }

  return {
    connectedOrganizations,

    /**
     * The connected organizations whose API key must be proved, in no order. Half a read unit per 4 KB of each
     * connection, in addition to the units of the index.
     * @param now epoch ms.
     */
    async withProofDue(now: number): Promise<string[]> {
      const keys: { id: string }[] = [];
      for await (const organizationId of connectedOrganizations()) keys.push({ id: organizationKey(organizationId) });
      const { items } = await getItems(table, keys, { attributes: Object.keys(Proved.shape) });
      const due = items
        .map((item) => Proved.parse(item))
        .filter(({ connectedShard, method, acceptedAt }) => {
          return connectedShard !== undefined && method !== undefined && isProofDue({ method, acceptedAt }, now);
        });
      return due.map(({ id }) => organizationIdOf(id));
    },

    /** The number of connected organizations. Half a read unit. */
    async countConnected(): Promise<number> {
      const item = await getItem(table, { id: CONNECTED_COUNT_KEY }, { isConsistent: false });
      return item === undefined ? 0 : Count.parse(item).n;
    },
  };
};

export type RecordsClaimStore = ReturnType<typeof createRecordsClaimStore>;

/**
 * The account whose records an organization stores: while there are records of one account, no other account can be
 * connected. One write unit a call; all throw DomainError `store_unavailable`.
 */
export const createRecordsClaimStore = (table: Table<"connections">) => {
  const write = createConnectionWriter(table);
  return {
    /**
     * Claims the organization's records for the account. Each run calls it before its first record; repeated calls are
     * allowed.
     * @returns false if the connection was replaced, removed, or must be made again: then the run must not store records.
     */
    claimRecords: (
      organizationId: string,
      { connectionId, accountId }: Pick<ConnectedItem, "connectionId" | "accountId">,
    ): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { holdsRecordsOf: accountId, claimedBy: connectionId, token: newRequestToken() },
          condition: [
            "#connectionId = :own AND #accountId = :account AND attribute_exists(#connectedShard)",
            "(attribute_not_exists(#holdsRecordsOf) OR #holdsRecordsOf = :account)",
          ].join(" AND "),
          values: { own: connectionId, account: accountId },
        },
        // Not `claimedBy`: an earlier claim of a connection that has ended since has the same value.
        "token",
      ),

    /**
     * Releases the claim after all records are erased, so that another account can be connected, and forgets when the
     * organization was connected.
     * @param claimedBy as read before the erasure began.
     * @returns false if a later connection has claimed the records: new ones may exist.
     */
    releaseRecords: (organizationId: string, claimedBy: string): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { token: newRequestToken() },
          remove: ["holdsRecordsOf", "claimedBy", "connectedBefore"],
          condition: "#claimedBy = :claimedBy AND attribute_not_exists(#connectedShard)",
          values: { claimedBy },
        },
        "token",
      ),
  };
};
