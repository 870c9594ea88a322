/**
 * Custom rules: an organization's own rules of detection. A rule filters the hour's events, counts them in windows, and
 * raises an alert if a window has enough of them, or too few. Reading order: this file has what the API accepts and returns,
 * custom-rule-item.ts what is stored, evaluate.ts how an hour is judged. Pure. docs/rules.md, "Own rules".
 */
import * as z from "zod/mini";
import { boundedInteger } from "../../json/bounded-integer.ts";
import { described } from "../../json/described.ts";
import { count, epochMs, integer } from "../../json/number-fields.ts";
import { strictObject } from "../../json/strict-object.ts";
import { text } from "../../json/text.ts";
import { Attack } from "../../security/alerts/attack.ts";
import { categories, eventTypes, resourceTypes, sources } from "../../security/security-event.ts";
import { isIdentifier } from "../../terms/caller.ts";
import { Cidr } from "../../terms/cidr-text.ts";
import { riskLevels } from "../../terms/risk-levels.ts";

/** An organization has at most this many. */
export const MAX_CUSTOM_RULES = 20;

/** `live` raises alerts; `dryRun` only counts what it would have raised. */
const modes = ["live", "dryRun"] as const;
const distinctFields = ["userId", "ipAddress", "resource"] as const;
const groupFields = ["userId", "ipAddress", "resource", "resourceType"] as const;
export type GroupField = (typeof groupFields)[number];

const MAX_NAME_CHARACTERS = 100;
const MAX_ID_CHARACTERS = 128;
const MAX_VALUES = 50;
const MAX_ERROR_CODE_CHARACTERS = 256;
const MAX_USER_CHARACTERS = 128;
const MAX_ATTACKS = 10;

/** Windows of up to an hour slide exactly. */
export const EXACT_MINUTES = 60;
const LEAST_MINUTES = 5;
/** Longer windows slide in steps; each divides a day. */
const LONG_WINDOWS = [120, 180, 240, 360, 480, 720, 1_440];
const MAX_THRESHOLD = 10_000;
/** Distinct values are carried from hour to hour, so there are fewer. */
const MAX_DISTINCT = 500;
export const MAX_SAMPLES = 20;

const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `expected one of ${words.join(", ")}` });

const eventTypeNames = Object.keys(eventTypes) as [keyof typeof eventTypes, ...(keyof typeof eventTypes)[]];

const list = <Schema extends z.ZodMiniType>(element: Schema, description: string) => {
  const error = `expected a list of 1 to ${MAX_VALUES} values`;
  return z.optional(
    z
      .array(element, { error })
      .check(z.minLength(1, { error }), z.maxLength(MAX_VALUES, { error }))
      .register(z.globalRegistry, { description }),
  );
};

const USER_EXPECTED = `expected a user's id: 1 to ${MAX_USER_CHARACTERS} printable characters without space`;
const userId = z
  .string({ error: USER_EXPECTED })
  .check(z.refine(isIdentifier, { error: USER_EXPECTED }))
  .register(z.globalRegistry, {
    override: { minLength: 1, maxLength: MAX_USER_CHARACTERS, pattern: "^[^\\p{C}\\p{Z}]+$" },
  });

const FILTER_EXPECTED = "expected at least one field";

const FilterRequest = strictObject({
  eventTypes: list(oneOf(eventTypeNames), "Events of one of these types."),
  categories: list(oneOf(categories), "Events of one of these categories."),
  sources: list(oneOf(sources), "Events of one of these sources."),
  success: z.optional(described(z.boolean({ error: "expected true or false" }), "Successful events, or failed ones.")),
  userIds: list(userId, "Events of one of these users."),
  networks: list(Cidr, "Events from an address in one of these networks."),
  resourceTypes: list(oneOf(resourceTypes), "Events about a resource of one of these types."),
  errorCodes: list(text(1, MAX_ERROR_CODE_CHARACTERS, "An error code."), "Events with one of these error codes."),
  levels: list(oneOf(riskLevels), "Events of one of these levels."),
})
  .check(z.refine((filter) => Object.values(filter).some((value) => value !== undefined), { error: FILTER_EXPECTED }))
  .register(z.globalRegistry, {
    id: "CustomRuleFilterRequest",
    description: "Which events count: those that match all given fields.",
    override: { minProperties: 1 },
  });

const MEASURE_EXPECTED = `expected "count", or {"distinct": …} with one of ${distinctFields.join(", ")}`;
const Measure = z.union([z.literal("count"), strictObject({ distinct: oneOf(distinctFields) })], {
  error: MEASURE_EXPECTED,
});
export type Measure = z.output<typeof Measure>;

const threshold = (description: string) => boundedInteger(1, MAX_THRESHOLD, description);
const CONDITION_EXPECTED = `expected {"gte": …} or {"lt": …} with an integer from 1 to ${MAX_THRESHOLD}`;
const Condition = z.union(
  [
    strictObject({ gte: threshold("A window with so many or more; at most 500 distinct values.") }),
    strictObject({ lt: threshold("A window with fewer, for silence.") }),
  ],
  { error: CONDITION_EXPECTED },
);
export type Condition = z.output<typeof Condition>;

const ATTACKS_EXPECTED = `expected a list of 1 to ${MAX_ATTACKS} pairs of tactic and technique`;
const attack = z
  .array(strictObject(Attack.shape), { error: ATTACKS_EXPECTED })
  .check(z.minLength(1, { error: ATTACKS_EXPECTED }), z.maxLength(MAX_ATTACKS, { error: ATTACKS_EXPECTED }))
  .register(z.globalRegistry, { description: "The tactics and techniques of MITRE ATT&CK that the rule finds." });

const requestFields = {
  name: text(1, MAX_NAME_CHARACTERS, "The title of the rule's alerts. Names may repeat."),
  level: described(oneOf(riskLevels), "The level of the rule's alerts."),
  mode: described(oneOf(modes), "`dryRun` raises nothing, and counts what it would have raised."),
  filter: FilterRequest,
  measure: described(Measure, "Events, or distinct values of a field."),
  groupBy: z.optional(described(oneOf(groupFields), "Counts each value of this field apart.")),
  windowMinutes: boundedInteger(
    LEAST_MINUTES,
    EXACT_MINUTES,
    "The length of a window. Longer ones than an hour slide in steps of 5 minutes.",
    LONG_WINDOWS,
  ),
  condition: described(Condition, "When a window is a finding."),
  attack: z.optional(attack),
};

type Checked = {
  measure: Measure;
  condition: Condition;
  groupBy?: GroupField | undefined;
  windowMinutes: number;
};

const isSilence = (condition: Condition): condition is { lt: number } => "lt" in condition;

/** What no field can say alone. */
const combinations = [
  z.refine<Checked>(
    ({ measure, condition }) => measure === "count" || isSilence(condition) || condition.gte <= MAX_DISTINCT,
    {
      path: ["condition", "gte"],
      error: `expected an integer from 1 to ${MAX_DISTINCT} for distinct values`,
    },
  ),
  z.refine<Checked>(({ measure, condition }) => measure === "count" || !isSilence(condition), {
    path: ["measure"],
    error: 'expected "count" with the condition lt',
  }),
  z.refine<Checked>(({ groupBy, condition }) => groupBy === undefined || !isSilence(condition), {
    path: ["groupBy"],
    error: "expected no groupBy with the condition lt",
  }),
  z.refine<Checked>(({ windowMinutes, condition }) => windowMinutes % 60 === 0 || !isSilence(condition), {
    path: ["windowMinutes"],
    error: `expected whole hours with the condition lt: one of 60, ${LONG_WINDOWS.join(", ")}`,
  }),
] as const;

/** A part of a schema that says nothing about other properties; without it, tools refuse them. */
const part = (schema: object) => ({ ...schema, unevaluatedProperties: true });

/** The same as JSON Schema. */
const combinedSchema = {
  allOf: [
    {
      if: part({ properties: { condition: part({ properties: { lt: {} }, required: ["lt"] }) } }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: part({
        properties: { measure: { const: "count" }, windowMinutes: { multipleOf: 60 } },
        not: part({ properties: { groupBy: {} }, required: ["groupBy"] }),
      }),
    },
    {
      if: part({ properties: { measure: part({ type: "object" }) } }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: part({ properties: { condition: part({ properties: { gte: { maximum: MAX_DISTINCT } } }) } }),
    },
  ],
};

const addCombinations = ({ jsonSchema }: { jsonSchema: object }): void => {
  Object.assign(jsonSchema, combinedSchema);
};

export const CustomRuleRequest = strictObject(requestFields)
  .check(...combinations)
  .register(z.globalRegistry, {
    id: "CustomRuleRequest",
    description: "An own rule to create.",
    override: addCombinations,
  });
export type CustomRuleRequest = z.output<typeof CustomRuleRequest>;

export const CustomRuleChangeRequest = strictObject({
  ...requestFields,
  revision: boundedInteger(0, Number.MAX_SAFE_INTEGER, "The revision of the rule that is replaced."),
})
  .check(...combinations)
  .register(z.globalRegistry, {
    id: "CustomRuleChangeRequest",
    description: "What replaces an own rule.",
    override: addCombinations,
  });
export type CustomRuleChangeRequest = z.output<typeof CustomRuleChangeRequest>;

/** For a preview: a new rule, or what would replace the rule with the `id`. */
export const PreviewedCustomRule = strictObject({
  id: z.optional(text(1, MAX_ID_CHARACTERS, "The rule that would be replaced; without it, the rule would be new.")),
  ...requestFields,
})
  .check(...combinations)
  .register(z.globalRegistry, {
    id: "PreviewedCustomRule",
    description: "An own rule to preview.",
    override: addCombinations,
  });
export type PreviewedCustomRule = z.output<typeof PreviewedCustomRule>;

const stored = <Schema extends z.ZodMiniType>(element: Schema) => z.optional(z.array(element));
const word = z.string();

/** Words are not checked: a later version may have more of them. An erasure may empty a list, which then matches no event. */
const Filter = z
  .object({
    eventTypes: stored(word),
    categories: stored(word),
    sources: stored(word),
    success: z.optional(z.boolean()),
    userIds: stored(word),
    networks: stored(word),
    resourceTypes: stored(word),
    errorCodes: stored(word),
    levels: stored(word),
  })
  .register(z.globalRegistry, {
    id: "CustomRuleFilter",
    description:
      "Which events count: those that match all given fields. An empty list, which an erasure leaves, matches none.",
  });
export type Filter = z.output<typeof Filter>;

/** What a rule judges by, as it is stored and returned. */
export const definitionFields = {
  name: z.string(),
  level: z.enum(riskLevels),
  mode: z.enum(modes),
  filter: Filter,
  measure: z.union([z.literal("count"), z.object({ distinct: z.enum(distinctFields) })]),
  groupBy: z.optional(z.enum(groupFields)),
  windowMinutes: integer("The length of a window."),
  condition: z.union([
    z.object({ gte: integer("A window with so many or more.") }),
    z.object({ lt: integer("A window with fewer.") }),
  ]),
  attack: z.optional(z.array(Attack)),
};

export const Definition = z.object(definitionFields);
export type Definition = z.output<typeof Definition>;

/** A finding that a dry run did not raise. */
export const DryRunSample = z
  .object({
    subject: z.string(),
    hour: epochMs("the beginning of the judged hour."),
    count: count("The events, or distinct values, of its largest window."),
    firstSeen: epochMs(),
    lastSeen: epochMs(),
    eventIds: z.array(z.string()),
  })
  .register(z.globalRegistry, { id: "CustomRuleSample", description: "What a dry run would have raised." });
export type DryRunSample = z.output<typeof DryRunSample>;

export const DryRun = z
  .object({
    since: epochMs("since when it counts: the rule's creation or last change."),
    wouldHaveRaised: count("Findings: one for each subject and hour."),
    samples: z.array(DryRunSample).register(z.globalRegistry, {
      description: `The newest findings, newest first; at most ${MAX_SAMPLES}.`,
    }),
  })
  .register(z.globalRegistry, { id: "CustomRuleDryRun", description: "What a rule would have raised." });
export type DryRun = z.output<typeof DryRun>;

/** An own rule as it is returned. */
export const CustomRule = z
  .object({
    id: z.string(),
    ...definitionFields,
    revision: integer("Rises with every change."),
    createdAt: epochMs(),
    createdBy: z.string(),
    changedAt: epochMs(),
    changedBy: z.string(),
    dryRun: z.optional(DryRun),
  })
  .register(z.globalRegistry, { id: "CustomRule", description: "An organization's own rule of detection." });
export type CustomRule = z.output<typeof CustomRule>;
