import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { getItem } from "../runtime/get-item.ts";
import { organizationKey } from "../terms/keys.ts";

const SettingsItem = z.object({ changedBy: z.string() });

/** Replaces an erased author. */
const NO_AUTHOR = "";

export type SettingsAuthorStore = ReturnType<typeof createSettingsAuthorStore>;

/** The last author of an organization's settings (shared/settings/settings-store.ts). Both throw `store_unavailable`. */
export const createSettingsAuthorStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** Undefined if the settings were never changed, or the author was erased. One read unit per 4 KB. */
  async read(organizationId: string): Promise<string | undefined> {
    const Key = { id: organizationKey(organizationId) };
    const item = await getItem(client, tableName, Key, { ProjectionExpression: "changedBy" });
    const changedBy = item && SettingsItem.parse(item).changedBy;
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
