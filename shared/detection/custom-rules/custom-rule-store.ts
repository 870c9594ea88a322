import * as z from "zod/mini";
import { newRequestToken } from "../../runtime/ids.ts";
import { deleteItem, getItem, type Item, putItem, type Table, unchanged, updateItem } from "../../runtime/table.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { checkPart, deletePart, putPart, transact, updatePart } from "../../runtime/table-transaction.ts";
import { organizationKey } from "../../terms/keys.ts";
import { readIndex } from "../../work/sharded-index-store.ts";
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
  silenceRules,
  toCustomRule,
  toItem,
} from "./custom-rule-item.ts";
import { dryRunAttributes, type HourOfDryRun, parseDryRun, type StoredDryRun, withHour } from "./dry-run-item.ts";

/** Another invocation may count an hour at the same time. */
const MAX_ATTEMPTS = 5;

const Keyed = z.object({ key: z.string() });
const Deleted = z.object({ change: UnrecordedRuleChange });

/** A rule, and what its dry run has found if it has found anything. */
export type RuleAndDryRun = { rule: StoredRule; dryRun: StoredDryRun | undefined };

export const toView = ({ rule, dryRun }: RuleAndDryRun): CustomRule =>
  toCustomRule(rule, dryRun?.revision === rule.revision ? dryRun : undefined);

const SilenceEntry = z.object({ scope: z.string(), windowMinutes: z.number() });

/** A rule that judges hours without events. */
export type SilenceRule = z.output<typeof SilenceEntry>;

/**
 * The rules of all organizations with the condition `lt`, in no order. Half a read unit per shard and 4 KB of the index; may
 * lag by a second.
 * @throws DomainError `store_unavailable`.
 */
export async function* listSilenceRules(table: Table<"detection">): AsyncGenerator<SilenceRule, void, void> {
  for await (const item of readIndex(table, silenceRules)) yield SilenceEntry.parse(item);
}

export type CustomRuleStore = ReturnType<typeof createCustomRuleStore>;

/** The own rules of organizations. All calls throw DomainError `store_unavailable`. */
export const createCustomRuleStore = (table: Table<"detection">) => {
  const readAll = async (scope: string, prefix: string, isConsistent = true): Promise<Item[]> => {
    const query = {
      where: "#scope = :scope AND begins_with(#key, :prefix)",
      values: { scope, prefix },
      isConsistent,
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

    /** All rules of a scope without their dry runs; may lag by a second. Half a read unit per 4 KB, at least one half. */
    async listForJudging(scope: string): Promise<StoredRule[]> {
      const items = await readAll(scope, CUSTOM_PREFIX, false);
      return items.filter((item) => !isDryRunKey(Keyed.parse(item).key)).map((item) => StoredRule.parse(item));
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

    /**
     * Counts an hour of a dry run, unless it counts it already, or the rule was changed or deleted since. A read unit, and
     * four write units.
     */
    async addDryRun(organizationId: string, id: string, hour: HourOfDryRun): Promise<void> {
      const key = dryRunKey(organizationId, id);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const item = await getItem(table, key);
        const before = item && parseDryRun(item);
        const after = withHour(before, hour, newRequestToken());
        if (after === undefined) return;
        const failed = await transact(table, [
          checkPart(table, customRuleKey(organizationId, id), {
            condition: "#revision = :revision",
            values: { revision: hour.revision },
          }),
          putPart(table, { ...key, ...dryRunAttributes(after) }, unchanged("version", before?.version)),
        ]);
        if (failed.size === 0 || failed.has(0)) return;
      }
      throw new Error("Other invocations keep changing the dry run of an own rule.");
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
