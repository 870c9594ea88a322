import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { conditionalWrite, putIfUnchanged } from "../runtime/conditional-write.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { organizationKey } from "../terms/keys.ts";
import { defaultSettings, type Settings, SettingsChange, StoredSettings } from "./settings.ts";

/**
 * One item per organization: partition key `id` (terms/keys.ts). `version`: identifies the put that wrote the item;
 * `changedAt` (epoch ms), `changedBy`; `change`: present until its security event is recorded. No index, no expiry.
 */
const SettingsItem = z.object({
  ...StoredSettings.shape,
  version: z.string(),
  changedAt: z.int(),
  changedBy: z.string(),
  change: z.optional(SettingsChange),
});

/** `version` is undefined if the organization has never changed its settings. */
type VersionedSettings = { settings: Settings; version: string | undefined; change: SettingsChange | undefined };

export type SettingsStore = ReturnType<typeof createSettingsStore>;

/** The settings of each organization. All calls throw DomainError `store_unavailable` if the table does not answer. */
export const createSettingsStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const readStored = async (organizationId: string): Promise<VersionedSettings> => {
    const command = new GetCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ConsistentRead: true,
    });
    const { Item } = await callStore((options) => client.send(command, options));
    if (Item === undefined) return { settings: defaultSettings, version: undefined, change: undefined };
    const { ipAllowlist, recordAccess, siemFeed, version, change } = SettingsItem.parse(Item);
    return { settings: { ipAllowlist, recordAccess, siemFeed }, version, change };
  };

  return {
    /** The settings in force, read strongly consistent: one read unit per 4 KB. */
    read: async (organizationId: string): Promise<Settings> => (await readStored(organizationId)).settings,

    /** The settings with their version and unrecorded change, for the next change. */
    readStored,

    /**
     * Replaces all settings if `version` is still the stored one. One write unit per KB.
     * @returns the new version; undefined if another change came first.
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

    /** Removes the change of a version after its event is recorded. Later versions stay as they are. */
    async forgetChange(organizationId: string, version: string): Promise<void> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { id: organizationKey(organizationId) },
        UpdateExpression: "REMOVE #change",
        ConditionExpression: "#version = :version",
        ExpressionAttributeNames: { "#change": "change", "#version": "version" },
        ExpressionAttributeValues: { ":version": version },
      });
      await conditionalWrite((options) => client.send(command, options));
    },
  };
};
