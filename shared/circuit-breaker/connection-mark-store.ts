import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { type UpdateExpressions, updateExpressions } from "./circuit-expressions.ts";
import { circuitKey, HELD_SHARD, indexShard, UNCONNECTED_HELD_SHARD, UNCONNECTED_SHARD } from "./circuit-keys.ts";

const Entry = z.object({ sh: z.optional(z.string()) });

/**
 * What connecting and disconnecting change in a circuit's item: the index partitions for an open and for a held circuit,
 * and the partition of the present index entry, if there is one. The circuit itself stays the same.
 * @param shard the partition of the index entry; undefined if there is no entry. The update requires that it is unchanged.
 */
export const connectionExpressions = (
  organizationId: string,
  isConnected: boolean,
  shard: string | undefined,
): UpdateExpressions => {
  const [open, held] = isConnected
    ? [indexShard(organizationId), HELD_SHARD]
    : [UNCONNECTED_SHARD, UNCONNECTED_HELD_SHARD];
  const isHeld = shard === HELD_SHARD || shard === UNCONNECTED_HELD_SHARD;
  return updateExpressions(
    {
      only: [shard === undefined ? "attribute_not_exists(#shard)" : "#shard = :shard"],
      set: [
        "#organizationId = :organizationId",
        ...(isConnected ? ["#openShard = :open", "#heldShard = :held"] : []),
        ...(shard === undefined ? [] : [isHeld ? "#shard = :held" : "#shard = :open"]),
      ],
      remove: isConnected ? [] : ["#openShard", "#heldShard"],
    },
    { ":organizationId": organizationId, ":shard": shard, ":open": open, ":held": held },
  );
};

export type ConnectionMarkStore = ReturnType<typeof createConnectionMarkStore>;

/** Marks in the circuits' table which organizations are connected, so that those without a connection can be counted. */
export const createConnectionMarkStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * The update for the transaction that changes the count of connected organizations. If the circuit opens or closes
   * before the transaction, the condition fails: call `mark` again. One read unit; in the transaction two write units, or
   * four while the circuit is not closed.
   * @throws DomainError `store_unavailable`.
   */
  async mark(organizationId: string, isConnected: boolean) {
    const Key = { id: circuitKey(organizationId) };
    const command = new GetCommand({
      TableName: tableName,
      Key,
      ConsistentRead: true,
      ProjectionExpression: "sh",
    });
    const { Item } = await callStore((options) => client.send(command, options));
    const { sh } = Entry.parse(Item ?? {});
    return { TableName: tableName, Key, ...connectionExpressions(organizationId, isConnected, sh) };
  },
});
