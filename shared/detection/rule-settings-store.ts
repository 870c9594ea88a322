import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { getItem, putItem, type Table, unchanged, updateItem } from "../runtime/table.ts";
import { builtInRules } from "../security/alerts/finding.ts";
import { organizationKey, partKey } from "../terms/keys.ts";
import { RequestOrigin } from "../terms/requester.ts";
import type { TableKey } from "../terms/tables.ts";
import { RevisedSettings, RulesSettings } from "./rule-settings.ts";

/** A change: who made it, when (epoch ms), from where, and the rule's settings before and after it. */
export const RuleChange = z.object({
  rule: z.enum(builtInRules),
  before: RevisedSettings,
  after: RevisedSettings,
  at: z.int(),
  userId: z.string(),
  ...RequestOrigin.shape,
});
export type RuleChange = z.output<typeof RuleChange>;

/**
 * One item per organization in the table of settings, so that a judged hour costs one read: `id` (`org#acme#rules`) ·
 * `rules`: the settings of the changed rules, as JSON text · `version`: identifies the put that wrote the item ·
 * `changedAt` (epoch ms), `changedBy` · `change` as JSON text: present until its security event is recorded. At most
 * 380 KB: every rule with 100 networks and 100 users. No expiry.
 */
const Item = z.object({
  rules: z.string(),
  version: z.string(),
  changedAt: z.int(),
  changedBy: z.string(),
  change: z.optional(z.string()),
});

/** The last author of the settings, as `settings` have it, and when (epoch ms). */
type Author = { changedAt: number; changedBy: string };

/** `version` and `author` are undefined if the organization has never changed a rule. */
export type StoredRules = {
  rules: RulesSettings;
  version: string | undefined;
  author: Author | undefined;
  change: RuleChange | undefined;
};

const noRules: StoredRules = { rules: {}, version: undefined, author: undefined, change: undefined };

const rulesKey = (organizationId: string): TableKey<"settings"> => ({
  id: partKey(organizationKey(organizationId), "rules"),
});

const parseStored = (item: unknown): StoredRules => {
  const { rules, version, changedAt, changedBy, change } = Item.parse(item);
  return {
    rules: RulesSettings.parse(JSON.parse(rules)),
    version,
    author: { changedAt, changedBy },
    change: change === undefined ? undefined : RuleChange.parse(JSON.parse(change)),
  };
};

export type RuleSettingsStore = ReturnType<typeof createRuleSettingsStore>;

/** The settings of each organization's rules. All calls throw DomainError `store_unavailable`. */
export const createRuleSettingsStore = (table: Table<"settings">) => {
  /** With their version, author and unrecorded change, for the next change; strongly consistent: a read unit per 4 KB. */
  const readStored = async (organizationId: string): Promise<StoredRules> => {
    const item = await getItem(table, rulesKey(organizationId));
    return item === undefined ? noRules : parseStored(item);
  };

  return {
    readStored,

    /** The settings in force, read strongly consistent: a read unit per 4 KB. */
    read: async (organizationId: string): Promise<RulesSettings> => (await readStored(organizationId)).rules,

    /**
     * Replaces all settings if `version` is still the stored one. A write unit per KB.
     * @returns the new version; undefined if another change came first.
     */
    async replace(
      organizationId: string,
      rules: RulesSettings,
      { version, author, change }: { version: string | undefined; author: Author; change?: RuleChange },
    ): Promise<string | undefined> {
      const token = newRequestToken();
      const item = {
        ...rulesKey(organizationId),
        ...author,
        rules: encodeJson(rules),
        version: token,
        change: change && encodeJson(change),
      };
      const { written } = await putItem(table, item, { ...unchanged("version", version), own: "version" });
      return written ? token : undefined;
    },

    /** Removes the change of a version after its event is recorded. Later versions stay as they are. */
    async forgetChange(organizationId: string, version: string): Promise<void> {
      await updateItem(table, rulesKey(organizationId), { remove: ["change"], ...unchanged("version", version) });
    },
  };
};
