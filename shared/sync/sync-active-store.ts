import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { readPages } from "../runtime/read-pages.ts";
import { organizationIdOf } from "../security/keys.ts";
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
    for (const shard of activeShards) {
      const query = {
        TableName: tableName,
        IndexName: ACTIVE_INDEX,
        KeyConditionExpression: "#shard = :shard",
        ExpressionAttributeNames: { "#shard": "activeShard" },
        ExpressionAttributeValues: { ":shard": shard },
      };
      for await (const page of readPages(client, query)) {
        for (const item of page) yield organizationIdOf(Entry.parse(item).scope);
      }
    }
  },
});
