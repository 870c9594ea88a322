import { organizationKey } from "../terms/keys.ts";
import { connectedShardOf, connectedShards } from "./connection-item.ts";

const positionOf = (organizationId: string): [shard: number, key: string] => [
  connectedShards.indexOf(connectedShardOf(organizationId)),
  organizationKey(organizationId),
];

/**
 * The connected organizations after `after`, in the order of their index: by shard, then by key. The index is read from
 * its beginning each time; half a read unit skips about 80 organizations.
 * @param all in that order.
 */
export async function* connectedAfter(
  all: AsyncIterable<string>,
  after: string | undefined,
): AsyncGenerator<string, void, void> {
  const [afterShard, afterKey] = after === undefined ? [-1, ""] : positionOf(after);
  for await (const organizationId of all) {
    const [shard, key] = positionOf(organizationId);
    if (shard > afterShard || (shard === afterShard && key > afterKey)) yield organizationId;
  }
}
