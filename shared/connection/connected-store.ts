import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { CONNECTED_ORGANIZATIONS } from "../terms/indexes.ts";
import { organizationIdOf } from "../terms/keys.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import { CONNECTED_COUNT_KEY, connectedShards } from "./connection-item.ts";

const Count = z.object({ n: z.number() });
const Entry = z.object({ id: z.string() });

export type ConnectedStore = ReturnType<typeof createConnectedStore>;

/** Which organizations are connected. Both throw DomainError `store_unavailable` when the table does not answer. */
export const createConnectedStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * All connected organizations, each once, shard by shard, in no order. May lag by a second. Half a read unit per
   * 4 KB of the index, in which one takes about 60 bytes.
   */
  async *connectedOrganizations(): AsyncGenerator<string, void, void> {
    const entries = readIndex(client, tableName, { ...CONNECTED_ORGANIZATIONS, shards: connectedShards });
    for await (const item of entries) yield organizationIdOf(Entry.parse(item).id);
  },

  /** How many they are; may lag by a second. Half a read unit. */
  async countConnected(): Promise<number> {
    const command = new GetCommand({ TableName: tableName, Key: { id: CONNECTED_COUNT_KEY } });
    const { Item } = await callStore((options) => client.send(command, options));
    return Item === undefined ? 0 : Count.parse(Item).n;
  },
});
