/**
 * The items of own rules in table Detection, in the organization's partition; none expires.
 *
 * - `custom#<id>`: a rule. `silenceShard`: the partition of the index of rules that judge hours without events; present only
 *   with the condition `lt`. `change`: the last change, until its security event is recorded.
 * - `custom#<id>#dryRun`: what a rule of mode `dryRun` would have raised (dry-run-store.ts).
 * - `customs`: the number of rules, which bounds them.
 * - `uncustom#<id>`: the deletion of a rule, until its event is recorded.
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { organizationKey } from "../../terms/keys.ts";
import { SILENCE_RULES } from "../../terms/tables.ts";
import { defineShardedIndex } from "../../work/sharded-index.ts";
import { CustomRule, type DryRun, definitionFields } from "./custom-rule.ts";
import { UnrecordedRuleChange } from "./custom-rule-events.ts";

export const CUSTOM_PREFIX = "custom#";
export const DELETED_CUSTOM_PREFIX = "uncustom#";
const DRY_RUN_SUFFIX = "#dryRun";
const COUNT_KEY = "customs";

export const silenceRules = defineShardedIndex(SILENCE_RULES, { count: 8 });

export const customRuleKey = (organizationId: string, id: string) => ({
  scope: organizationKey(organizationId),
  key: CUSTOM_PREFIX + id,
});

export const dryRunKey = (organizationId: string, id: string) => ({
  scope: organizationKey(organizationId),
  key: CUSTOM_PREFIX + id + DRY_RUN_SUFFIX,
});

export const deletedRuleKey = (organizationId: string, id: string) => ({
  scope: organizationKey(organizationId),
  key: DELETED_CUSTOM_PREFIX + id,
});

export const ruleCountKey = (organizationId: string) => ({ scope: organizationKey(organizationId), key: COUNT_KEY });

export const isDryRunKey = (key: string): boolean => key.startsWith(CUSTOM_PREFIX) && key.endsWith(DRY_RUN_SUFFIX);

/** Whether a key is a rule's, and not of its dry run. */
export const isRuleKey = (key: string): boolean => key.startsWith(CUSTOM_PREFIX) && !isDryRunKey(key);

/** A rule as it is stored. `changedAt`: since then its definition holds, epoch ms. `version`: new with every write. */
export const StoredRule = z.object({
  id: z.string(),
  ...definitionFields,
  revision: z.number(),
  createdAt: z.number(),
  createdBy: z.string(),
  changedAt: z.number(),
  changedBy: z.string(),
  version: z.string(),
  change: z.optional(UnrecordedRuleChange),
});
export type StoredRule = z.output<typeof StoredRule>;

/** The item of a rule. */
export const toItem = (organizationId: string, rule: StoredRule) => {
  const key = customRuleKey(organizationId, rule.id);
  const silenceShard = "lt" in rule.condition ? silenceRules.shardOf(key.scope) : undefined;
  return { ...key, ...rule, ...definedFields({ silenceShard }) };
};

/** What clients see of a rule. A dry run that has found nothing yet has no item. */
export const toCustomRule = (rule: StoredRule, found: DryRun | undefined): CustomRule => {
  const dryRun =
    rule.mode === "dryRun" ? (found ?? { since: rule.changedAt, wouldHaveRaised: 0, samples: [] }) : undefined;
  return CustomRule.parse({ ...rule, ...definedFields({ dryRun }) });
};
