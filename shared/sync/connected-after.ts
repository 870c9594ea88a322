import { connectedShardOf, connectedShards } from "../connection/connection-item.ts";
import { organizationKey } from "../terms/keys.ts";

const placeOf = (organizationId: string): [shard: number, key: string] => [
  connectedShards.indexOf(connectedShardOf(organizationId)),
  organizationKey(organizationId),
];

/**
 * The connected organizations from the one after `after` on, in the order of their index: by shard, then by key. Those
 * before are read again, 80 of them for half a read unit.
 * @param all in that order.
 */
export async function* connectedAfter(
  all: AsyncIterable<string>,
  after: string | undefined,
): AsyncGenerator<string, void, void> {
  const [shard, key] = after === undefined ? [-1, ""] : placeOf(after);
  for await (const organizationId of all) {
    const [itsShard, itsKey] = placeOf(organizationId);
    if (itsShard > shard || (itsShard === shard && itsKey > key)) yield organizationId;
  }
}
