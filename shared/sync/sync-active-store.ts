import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { readShards } from "../runtime/read-shards.ts";
import { organizationIdOf } from "../terms/keys.ts";
import { ACTIVE_INDEX, activeShards } from "./sync-item.ts";

const Entry = z.object({ scope: z.string() });

export type SyncActiveStore = ReturnType<typeof createSyncActiveStore>;

/** Which organizations have a run that the index knows of (sync-item.ts). */
export const createSyncActiveStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Those organizations, shard by shard. May lag by a second. Half a read unit per shard and 4 KB.
   * @throws DomainError `store_unavailable`.
   */
  async *listActive(): AsyncGenerator<string, void, void> {
    const index = { index: ACTIVE_INDEX, attribute: "activeShard", shards: activeShards };
    for await (const item of readShards(client, tableName, index)) yield organizationIdOf(Entry.parse(item).scope);
  },
});
