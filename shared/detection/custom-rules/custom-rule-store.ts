import * as z from "zod/mini";
import { deleteItem, getItem, type Item, putItem, type Table, unchanged, updateItem } from "../../runtime/table.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { deletePart, putPart, transact, updatePart } from "../../runtime/table-transaction.ts";
import { organizationKey } from "../../terms/keys.ts";
import { type CustomRule, MAX_CUSTOM_RULES } from "./custom-rule.ts";
import { UnrecordedRuleChange } from "./custom-rule-events.ts";
import {
  CUSTOM_PREFIX,
  customRuleKey,
  DELETED_CUSTOM_PREFIX,
  deletedRuleKey,
  dryRunKey,
  isDryRunKey,
  ruleCountKey,
  StoredRule,
  toCustomRule,
  toItem,
} from "./custom-rule-item.ts";
import { parseDryRun, type StoredDryRun } from "./dry-run-item.ts";

const Keyed = z.object({ key: z.string() });
const Deleted = z.object({ change: UnrecordedRuleChange });

/** A rule, and what its dry run has found if it has found anything. */
export type RuleAndDryRun = { rule: StoredRule; dryRun: StoredDryRun | undefined };

export const toView = ({ rule, dryRun }: RuleAndDryRun): CustomRule =>
  toCustomRule(rule, dryRun?.revision === rule.revision ? dryRun : undefined);

export type CustomRuleStore = ReturnType<typeof createCustomRuleStore>;

/** The own rules of organizations. All calls throw DomainError `store_unavailable`. */
export const createCustomRuleStore = (table: Table<"detection">) => {
  const readAll = async (scope: string, prefix: string): Promise<Item[]> => {
    const query = {
      where: "#scope = :scope AND begins_with(#key, :prefix)",
      values: { scope, prefix },
      isConsistent: true,
    };
    const items: Item[] = [];
    for await (const page of queryPages(table, query)) items.push(...page);
    return items;
  };

  return {
    /** All rules of a scope, oldest first, with their dry runs, read strongly. One read unit per 4 KB, at least one. */
    async list(scope: string): Promise<RuleAndDryRun[]> {
      const items = await readAll(scope, CUSTOM_PREFIX);
      const keyOf = (item: Item) => Keyed.parse(item).key;
      const dryRuns = new Map(items.filter((item) => isDryRunKey(keyOf(item))).map((item) => [keyOf(item), item]));
      return items
        .filter((item) => !isDryRunKey(keyOf(item)))
        .map((item) => {
          const found = dryRuns.get(`${keyOf(item)}#dryRun`);
          return { rule: StoredRule.parse(item), dryRun: found && parseDryRun(found) };
        });
    },

    /** Reads strongly: one read unit per 4 KB, and the same for the dry run. */
    async read(organizationId: string, id: string): Promise<RuleAndDryRun | undefined> {
      const item = await getItem(table, customRuleKey(organizationId, id));
      if (item === undefined) return undefined;
      const rule = StoredRule.parse(item);
      const found = rule.mode === "dryRun" ? await getItem(table, dryRunKey(organizationId, id)) : undefined;
      return { rule, dryRun: found && parseDryRun(found) };
    },

    /** Four write units, and two per KB. `exists`: an earlier attempt of the same request has created it. */
    async create(organizationId: string, rule: StoredRule): Promise<"created" | "exists" | "too_many"> {
      const failed = await transact(table, [
        putPart(table, toItem(organizationId, rule), { condition: "attribute_not_exists(#key)" }),
        updatePart(table, ruleCountKey(organizationId), {
          add: { count: 1 },
          condition: "attribute_not_exists(#count) OR #count < :most",
          values: { most: MAX_CUSTOM_RULES },
        }),
      ]);
      if (failed.has(0)) return "exists";
      return failed.has(1) ? "too_many" : "created";
    },

    /**
     * Replaces a rule, unless it was changed or deleted since it was read. One write unit per KB.
     * @param previous its version as it was read.
     * @returns whether it was replaced.
     */
    async replace(organizationId: string, rule: StoredRule, previous: string): Promise<boolean> {
      const condition = unchanged("version", previous);
      return (await putItem(table, toItem(organizationId, rule), { ...condition, own: "version" })).written;
    },

    /** Four write units, and two per KB. @returns false if there is no such rule. */
    async delete(organizationId: string, id: string, change: UnrecordedRuleChange): Promise<boolean> {
      const failed = await transact(table, [
        deletePart(table, customRuleKey(organizationId, id), { condition: "attribute_exists(#key)" }),
        deletePart(table, dryRunKey(organizationId, id)),
        updatePart(table, ruleCountKey(organizationId), { add: { count: -1 } }),
        putPart(table, { ...deletedRuleKey(organizationId, id), change }),
      ]);
      return failed.size === 0;
    },

    /** The deletions whose events are not recorded yet. One read unit. */
    async listDeletions(organizationId: string): Promise<UnrecordedRuleChange[]> {
      const items = await readAll(organizationKey(organizationId), DELETED_CUSTOM_PREFIX);
      return items.map((item) => Deleted.parse(item).change);
    },

    /** Removes a change after its event is recorded; a later change stays. One write unit per KB. */
    async forgetChange(organizationId: string, { action, rule, revision }: UnrecordedRuleChange): Promise<void> {
      if (action === "delete_custom_rule") {
        await deleteItem(table, deletedRuleKey(organizationId, rule.id));
        return;
      }
      await updateItem(table, customRuleKey(organizationId, rule.id), {
        remove: ["change"],
        condition: "#change.#revision = :revision",
        values: { revision },
      });
    },
  };
};
