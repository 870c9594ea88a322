/**
 * What connecting and disconnecting an organization do to its circuit's item: they say in which partition of the index
 * the circuit lies while it is not closed, and move the entry if there is one. The circuit stays as it is. Pure.
 */
import { HELD_SHARD, indexShard, UNCONNECTED_HELD_SHARD, UNCONNECTED_SHARD } from "./circuit-keys.ts";
import { assemble, type UpdateExpressions } from "./update-expressions.ts";

/** @param shard the partition that the entry lies in; undefined while there is none. The update asks that it still does. */
export const connectionExpressions = (
  organizationId: string,
  isConnected: boolean,
  shard: string | undefined,
): UpdateExpressions => {
  const [open, held] = isConnected
    ? [indexShard(organizationId), HELD_SHARD]
    : [UNCONNECTED_SHARD, UNCONNECTED_HELD_SHARD];
  const isHeld = shard === HELD_SHARD || shard === UNCONNECTED_HELD_SHARD;
  return assemble(
    {
      only: [shard === undefined ? "attribute_not_exists(#sh)" : "#sh = :known"],
      set: [
        "#o = :organization",
        ...(isConnected ? ["#cs = :open", "#ch = :held"] : []),
        ...(shard === undefined ? [] : [isHeld ? "#sh = :held" : "#sh = :open"]),
      ],
      remove: isConnected ? [] : ["#cs", "#ch"],
    },
    {},
    { ":organization": organizationId, ":known": shard, ":open": open, ":held": held },
  );
};
