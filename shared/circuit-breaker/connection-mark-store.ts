import * as z from "zod/mini";
import { getItem, type Table, type Update, unchanged } from "../runtime/table.ts";
import { type TransactItem, updatePart } from "../runtime/table-transaction.ts";
import {
  circuitKey,
  HELD_SHARD,
  indexNames,
  indexShard,
  UNCONNECTED_HELD_SHARD,
  UNCONNECTED_SHARD,
} from "./circuit-keys.ts";

const Entry = z.object({ sh: z.optional(z.string()) });

/**
 * What connecting and disconnecting change in a circuit's item: the index partitions for an open and for a held circuit,
 * and the partition of the present index entry, if there is one. The circuit itself stays the same.
 * @param shard the partition of the index entry; undefined if there is no entry. The update requires that it is unchanged.
 */
export const connectionUpdate = (organizationId: string, isConnected: boolean, shard: string | undefined): Update => {
  const [open, held] = isConnected
    ? [indexShard(organizationId), HELD_SHARD]
    : [UNCONNECTED_SHARD, UNCONNECTED_HELD_SHARD];
  const isHeld = shard === HELD_SHARD || shard === UNCONNECTED_HELD_SHARD;
  return {
    set: {
      organizationId,
      ...(isConnected && { openShard: open, heldShard: held }),
      ...(shard !== undefined && { shard: isHeld ? held : open }),
    },
    remove: isConnected ? [] : ["openShard", "heldShard"],
    ...unchanged("shard", shard),
    names: indexNames,
  };
};

export type ConnectionMarkStore = ReturnType<typeof createConnectionMarkStore>;

/** Marks in the circuits' table which organizations are connected, so that those without a connection can be counted. */
export const createConnectionMarkStore = (table: Table<"circuits">) => ({
  /**
   * The part of the transaction that changes the count of connected organizations. If the circuit opens or closes
   * before the transaction, the condition fails: call `mark` again. One read unit; in the transaction two write units, or
   * four while the circuit is not closed.
   * @throws DomainError `store_unavailable`.
   */
  async mark(organizationId: string, isConnected: boolean): Promise<TransactItem> {
    const key = { id: circuitKey(organizationId) };
    const { sh } = Entry.parse((await getItem(table, key, { attributes: [indexNames.shard] })) ?? {});
    return updatePart(table, key, connectionUpdate(organizationId, isConnected, sh));
  },
});
