import * as z from "zod/mini";
import { newRequestToken } from "../runtime/ids.ts";
import { getItem, putItem, type Table, unchanged, updateItem } from "../runtime/table.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { MONTHLY_DRILLS } from "../terms/tables.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import { defaultSettings, type Settings, SettingsChange, StoredSettings } from "./settings.ts";

const monthlyDrills = defineShardedIndex(MONTHLY_DRILLS, { count: 8, prefix: "monthly#" });

/**
 * One item per organization: partition key `id` (terms/keys.ts). `version`: identifies the put that wrote the item;
 * `changedAt` (epoch ms), `changedBy`; `change`: present until its security event is recorded. With a monthly drill it is in
 * index `byDrill`. No expiry.
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
export const createSettingsStore = (table: Table<"settings">) => {
  const readStored = async (organizationId: string): Promise<VersionedSettings> => {
    const item = await getItem(table, { id: organizationKey(organizationId) });
    if (item === undefined) return { settings: defaultSettings, version: undefined, change: undefined };
    const { version, change, changedAt: _, changedBy: __, ...settings } = SettingsItem.parse(item);
    return { settings, version, change };
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
      const id = organizationKey(organizationId);
      const stored = { id, ...item, ...(settings.drill === "monthly" && { drillShard: monthlyDrills.shardOf(id) }) };
      const { written } = await putItem(table, stored, { ...unchanged("version", version), own: "version" });
      return written ? token : undefined;
    },

    /** The organizations that want a monthly drill; may lag by a second. Half a read unit for each of 8 shards and 4 KB. */
    async *organizationsWithDrill(): AsyncGenerator<string, void, void> {
      for await (const { id } of readIndex(table, monthlyDrills)) yield organizationIdOf(String(id));
    },

    /** Removes the change of a version after its event is recorded. Later versions stay as they are. */
    async forgetChange(organizationId: string, version: string): Promise<void> {
      const key = { id: organizationKey(organizationId) };
      await updateItem(table, key, { remove: ["change"], ...unchanged("version", version) });
    },
  };
};
