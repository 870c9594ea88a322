import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { organizationKey } from "../terms/keys.ts";

const Author = z.object({ changedBy: z.string() });

/** What stands for an author who was erased. */
const NOBODY = "";

export type SettingsAuthorStore = ReturnType<typeof createSettingsAuthorStore>;

/** Who changed an organization's settings last (shared/settings/settings-store.ts). Both throw `store_unavailable`. */
export const createSettingsAuthorStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** Undefined where nobody ever did, or who did was erased. One read unit per 4 KB. */
  async read(organizationId: string): Promise<string | undefined> {
    const command = new GetCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ConsistentRead: true,
      ProjectionExpression: "changedBy",
    });
    const { Item } = await callStore((options) => client.send(command, options));
    const changedBy = Item && Author.parse(Item).changedBy;
    return changedBy === NOBODY ? undefined : changedBy;
  },

  /** Forgets an author, unless another changed the settings since. One write unit per KB. */
  async forget(organizationId: string, author: string): Promise<void> {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      UpdateExpression: "SET changedBy = :nobody",
      ConditionExpression: "changedBy = :author",
      ExpressionAttributeValues: { ":nobody": NOBODY, ":author": author },
    });
    await callStore((options) => client.send(command, options)).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  },
});
