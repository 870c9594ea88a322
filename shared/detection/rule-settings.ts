/**
 * An organization's settings of the built-in rules: whether a rule is on, its level, its thresholds, and the networks and
 * users that it does not see events of. Rules take them as an argument. Pure. docs/rules.md.
 */
import * as z from "zod/mini";
import { type BuiltInRule, findingRules } from "../security/alerts/finding.ts";
import { type RiskLevel, riskLevels } from "../terms/risk-levels.ts";

/** `level` replaces every level of the rule below CRITICAL. `thresholds`: those that were set; the others have their defaults. */
export const RuleSettings = z.object({
  enabled: z.boolean(),
  level: z.optional(z.enum(riskLevels)),
  thresholds: z.record(z.string(), z.number()),
  known: z.object({ networks: z.array(z.string()), users: z.array(z.string()) }),
});
export type RuleSettings = z.output<typeof RuleSettings>;

export const defaultRuleSettings: RuleSettings = { enabled: true, thresholds: {}, known: { networks: [], users: [] } };

/** `revision`: rises by one with every change; a rule that was never changed is not stored and has 0. */
export const RevisedSettings = z.extend(RuleSettings, { revision: z.int() });
export type RevisedSettings = z.output<typeof RevisedSettings>;

/** The settings of the rules that were changed. An entry of a rule that this version does not have is kept. */
export const RulesSettings = z.record(z.string(), RevisedSettings);
export type RulesSettings = Readonly<Record<string, RevisedSettings>>;

/** Settings of a rule; those of a rule that was never changed have revision 0. */
export const settingsOf = (all: RulesSettings, rule: BuiltInRule): RevisedSettings =>
  all[rule] ?? { ...defaultRuleSettings, revision: 0 };

/** The revisions of the settings that judge hours; undefined if all are 0. A judged hour is stored with them. */
export const revisionsOf = (all: RulesSettings): Record<string, number> | undefined => {
  const revisions = findingRules.flatMap((rule) => {
    const { revision } = settingsOf(all, rule);
    return revision === 0 ? [] : [[rule, revision] as const];
  });
  return revisions.length === 0 ? undefined : Object.fromEntries(revisions);
};

/** A finding with the level that the organization has set for its rule. A CRITICAL finding stays CRITICAL. */
export const withLevel = <Found extends { level: RiskLevel }>(finding: Found, level: RiskLevel | undefined): Found =>
  level === undefined || finding.level === "CRITICAL" ? finding : { ...finding, level };
