import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { organizationKey } from "../terms/keys.ts";
import { parseConnection, type StoredConnection } from "./connection-item.ts";

export type ConnectionStore = ReturnType<typeof createConnectionStore>;

/** The connection of each organization; who changes it has connection-change-store.ts. Items: connection-item.ts. */
export const createConnectionStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * The connection as it is, read strongly: one read unit. `disconnected` where there never was one.
   * @throws DomainError `store_unavailable`.
   */
  async read(organizationId: string): Promise<StoredConnection> {
    const command = new GetCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ConsistentRead: true,
    });
    const { Item } = await callStore((options) => client.send(command, options));
    return parseConnection(Item);
  },
});
