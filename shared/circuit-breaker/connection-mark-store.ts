import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { circuitKey } from "./circuit-keys.ts";
import { connectionExpressions } from "./connection-expressions.ts";

const Entry = z.object({ sh: z.optional(z.string()) });

export type ConnectionMarkStore = ReturnType<typeof createConnectionMarkStore>;

/** Says in the circuits' table which organizations are connected, so that those that are not can be counted. */
export const createConnectionMarkStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * The update that belongs into the transaction which changes the count of connected organizations. Its condition fails
   * where the circuit has opened or closed since: then make it anew. One read unit; in the transaction two write
   * units, and two more where the circuit is not closed.
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
