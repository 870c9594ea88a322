import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { organizationKey } from "../terms/keys.ts";

const SettingsItem = z.object({ changedBy: z.string() });

/** Replaces an erased author. */
const NO_AUTHOR = "";

export type SettingsAuthorStore = ReturnType<typeof createSettingsAuthorStore>;

/** The last author of an organization's settings (shared/settings/settings-store.ts). Both throw `store_unavailable`. */
export const createSettingsAuthorStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** Undefined if the settings were never changed, or the author was erased. One read unit per 4 KB. */
  async read(organizationId: string): Promise<string | undefined> {
    const command = new GetCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ConsistentRead: true,
      ProjectionExpression: "changedBy",
    });
    const { Item } = await callStore((options) => client.send(command, options));
    const changedBy = Item && SettingsItem.parse(Item).changedBy;
    return changedBy === NO_AUTHOR ? undefined : changedBy;
  },

  /** Removes an author, unless another user has changed the settings since. One write unit per KB. */
  async forget(organizationId: string, author: string): Promise<void> {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      UpdateExpression: "SET changedBy = :none",
      ConditionExpression: "changedBy = :author",
      ExpressionAttributeValues: { ":none": NO_AUTHOR, ":author": author },
    });
    await conditionalWrite((options) => client.send(command, options));
  },
});
