import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { putIfUnchanged } from "../runtime/conditional-write.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { organizationKey } from "../terms/keys.ts";
import { defaultSettings, Settings } from "./settings.ts";
import { SettingsChange } from "./settings-changed.ts";

/**
 * One item per organization: partition key `id` (security/keys.ts). `version` names the put that wrote it, `changedAt`
 * (epoch ms) and `changedBy` say who that was. `change` lies there only until its security event was recorded. No index,
 * no expiry.
 */
const SettingsItem = z.object({
  ...Settings.shape,
  version: z.string(),
  changedAt: z.int(),
  changedBy: z.string(),
  change: z.optional(SettingsChange),
});

/** `version` is undefined where an organization never changed anything. */
export type StoredSettings = { settings: Settings; version: string | undefined; change: SettingsChange | undefined };

export type SettingsStore = ReturnType<typeof createSettingsStore>;

/** The settings of each organization. All calls throw DomainError `store_unavailable` when the table does not answer. */
export const createSettingsStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const readStored = async (organizationId: string): Promise<StoredSettings> => {
    const command = new GetCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ConsistentRead: true,
    });
    const { Item } = await callStore((options) => client.send(command, options));
    if (Item === undefined) return { settings: defaultSettings, version: undefined, change: undefined };
    const { ipAllowlist, recordAccess, version, change } = SettingsItem.parse(Item);
    return { settings: { ipAllowlist, recordAccess }, version, change };
  };

  return {
    /** The settings in force, read strongly: one read unit per 4 KB. */
    read: async (organizationId: string): Promise<Settings> => (await readStored(organizationId)).settings,

    /** The same, with what the next change must know. */
    readStored,

    /**
     * Replaces the settings as a whole, unless somebody else did since `version` was read. One write unit per KB.
     * @returns the new version; undefined where nothing was written.
     */
    async replace(
      organizationId: string,
      settings: Settings,
      { version, change }: { version: string | undefined; change: SettingsChange },
    ): Promise<string | undefined> {
      const token = newRequestToken();
      const item: z.input<typeof SettingsItem> = {
        ...settings,
        version: token,
        changedAt: change.at,
        changedBy: change.userId,
        change,
      };
      const stored = { id: organizationKey(organizationId), ...item };
      const isWritten = await putIfUnchanged(client, tableName, stored, { attribute: "version", previous: version });
      return isWritten ? token : undefined;
    },

    /** Forgets how a version came about, once that was recorded. Later versions stay as they are. */
    async forgetChange(organizationId: string, version: string): Promise<void> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { id: organizationKey(organizationId) },
        UpdateExpression: "REMOVE #change",
        ConditionExpression: "#version = :version",
        ExpressionAttributeNames: { "#change": "change", "#version": "version" },
        ExpressionAttributeValues: { ":version": version },
      });
      await callStore((options) => client.send(command, options)).catch((error: unknown) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      });
    },
  };
};
