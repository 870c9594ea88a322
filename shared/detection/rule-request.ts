/** The answer of GET …/detection/rules, and the body of PUT …/detection/rules/{rule}. docs/rules.md. */
import * as z from "zod/mini";
import { boundedInteger } from "../json/bounded-integer.ts";
import { integer } from "../json/number-fields.ts";
import { strictObject } from "../json/strict-object.ts";
import { Attack } from "../security/alerts/attack.ts";
import { builtInRules } from "../security/alerts/finding.ts";
import { isIdentifier } from "../terms/caller.ts";
import { Cidr } from "../terms/cidr-text.ts";
import { riskLevels } from "../terms/risk-levels.ts";

const MAX_KNOWN = 100;
const USER_MAX_CHARACTERS = 128;

const described = (description: string) => ({ description });

const Threshold = z.object({
  value: integer("The value in force."),
  default: integer("The value without a setting."),
  min: integer("The least value."),
  max: integer("The greatest value."),
  unit: z.string(),
});

const currentLevel = z.enum(riskLevels).register(z.globalRegistry, {
  description: "Replaces every level of the rule below CRITICAL; absent if the rule's own levels hold.",
});

/** A rule as it is now. */
export const DetectionRule = z
  .object({
    rule: z.enum(builtInRules),
    enabled: z.boolean().register(z.globalRegistry, described("Whether the rule makes findings.")),
    level: z.optional(currentLevel),
    thresholds: z.record(z.string(), Threshold).register(z.globalRegistry, described("By name; a rule may have none.")),
    known: z
      .object({ networks: z.array(z.string()), users: z.array(z.string()) })
      .register(z.globalRegistry, described("The rule does not see events from these networks or of these users.")),
    attack: z.array(Attack),
    revision: integer("Rises by one with every change; 0 if there was none."),
  })
  .register(z.globalRegistry, { id: "DetectionRule", description: "A rule of detection with its settings." });
export type DetectionRule = z.output<typeof DetectionRule>;

const NETWORKS_EXPECTED = `expected a list of at most ${MAX_KNOWN} CIDRs`;
const USERS_EXPECTED = `expected a list of at most ${MAX_KNOWN} user ids`;
const USER_EXPECTED = `expected a user id of 1 to ${USER_MAX_CHARACTERS} printable characters without space`;

const userId = z
  .string({ error: USER_EXPECTED })
  .check(z.refine(isIdentifier, { error: USER_EXPECTED }))
  .register(z.globalRegistry, {
    override: { type: "string", minLength: 1, maxLength: USER_MAX_CHARACTERS, pattern: "^[^\\p{C}\\p{Z}]*$" },
  });

const known = strictObject({
  networks: z._default(
    z.array(Cidr, { error: NETWORKS_EXPECTED }).check(z.maxLength(MAX_KNOWN, { error: NETWORKS_EXPECTED })),
    [],
  ),
  users: z._default(
    z.array(userId, { error: USERS_EXPECTED }).check(z.maxLength(MAX_KNOWN, { error: USERS_EXPECTED })),
    [],
  ),
});

/** Not a record's schema, which drops a key `__proto__`. change-rule.ts checks names and values, which depend on the rule. */
const anyValues = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    { error: "expected an object" },
  )
  .register(z.globalRegistry, {
    description: "Whole numbers by the names of the rule's thresholds. A threshold that is left out has its default.",
    override: { type: "object", additionalProperties: { type: "integer" } },
  });

/** A body has a bigint for every integer (revive-exactly.ts). */
const toNumbers = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
  );

const LEVEL_EXPECTED = `expected one of ${riskLevels.join(", ")}`;

const settingsFields = {
  enabled: z.boolean({ error: "expected true or false" }),
  level: z.optional(z.enum(riskLevels, { error: LEVEL_EXPECTED })),
  thresholds: z.optional(z.pipe(anyValues, z.transform(toNumbers))),
  known: z._default(known, { networks: [], users: [] }),
};

/** It replaces all settings of the rule; a field that is left out has its default. */
export const DetectionRuleRequest = strictObject({
  ...settingsFields,
  revision: boundedInteger(0, Number.MAX_SAFE_INTEGER, "The revision that the change is based on."),
}).register(z.globalRegistry, {
  id: "DetectionRuleRequest",
  description: "The settings that replace all present ones of the rule.",
});
export type DetectionRuleRequest = z.output<typeof DetectionRuleRequest>;

const RULE_EXPECTED = `expected one of ${builtInRules.join(", ")}`;

/** For a preview: what would replace the settings of a rule. */
export const PreviewedRule = strictObject({
  rule: z.enum(builtInRules, { error: RULE_EXPECTED }),
  ...settingsFields,
}).register(z.globalRegistry, { id: "PreviewedRule", description: "Settings of a built-in rule to preview." });
export type PreviewedRule = z.output<typeof PreviewedRule>;
