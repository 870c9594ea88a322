/**
 * Mutes: alerts that an organization does not want to be sent for a time, with a reason and an end. A muted alert is raised
 * and listed as before; only its notifications are withheld, until the mute ends.
 * Reading order: this file has what the API accepts and returns, mute-times.ts when a mute acts and on which alerts,
 * mute-item.ts what is stored. notifications/ asks before it sends. Pure. docs/rules.md, "Mutes".
 */
import * as z from "zod/mini";
import { boundedInteger } from "../json/bounded-integer.ts";
import { described } from "../json/described.ts";
import { count, epochMs } from "../json/number-fields.ts";
import { strictObject } from "../json/strict-object.ts";
import { text } from "../json/text.ts";
import { oneOf, uniqueList } from "../json/unique-list.ts";
import { timeOfDay, timeZone } from "../json/zoned-fields.ts";
import { MUTABLE_RULE, mutableRules } from "../security/alerts/alert-rules.ts";
import { END_OF_TIME_MS } from "../terms/hours.ts";
import { type RiskLevel, riskLevels } from "../terms/risk-levels.ts";

/** An organization has at most this many mutes that have not ended. Decisions: docs/limits.md. */
export const MAX_OPEN_MUTES = 50;

const MAX_RULES = 50;
const MAX_SUBJECT_CHARACTERS = 256;
const MAX_REASON_CHARACTERS = 500;

/** As `Date.getUTCDay` counts them. */
export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
export type Weekday = (typeof weekdays)[number];

const RULE_EXPECTED = `expected a rule whose alerts can be muted: ${mutableRules.join(", ")}, or custom_ and the id of an own rule`;
const rule = z.string({ error: RULE_EXPECTED }).check(z.regex(MUTABLE_RULE, { error: RULE_EXPECTED }));

const weeklyFields = {
  days: uniqueList(oneOf(weekdays), 1, weekdays.length, "days"),
  from: timeOfDay,
  to: described(timeOfDay, "Exclusive. Before `from`, the span ends on the next day."),
  timeZone,
};

const WeeklyRequest = strictObject(weeklyFields).register(z.globalRegistry, {
  id: "WeeklyMuteRequest",
  description:
    "The weekly spans in which a mute acts: `days` are those on which a span begins; `from` and `to` differ.",
});

const Weekly = z
  .object(weeklyFields)
  .register(z.globalRegistry, { id: "WeeklyMute", description: "The weekly spans in which a mute acts." });
export type Weekly = z.output<typeof Weekly>;

const rulesDescription = "The rules whose alerts are muted; without it all that can be muted.";
const subjectDescription = "Only alerts about exactly this subject; it needs exactly one rule.";
const levelsDescription =
  "The levels that are muted; without it LOW to HIGH, and with `includeCritical` all. CRITICAL needs `includeCritical`.";
const criticalDescription = "Whether CRITICAL alerts may be muted.";
const reasonDescription = "Why the alerts are muted.";

/** What it cannot say, such as that `subject` needs one rule, is checked by create-mute.ts. */
export const MuteRequest = strictObject({
  rules: described(z.optional(uniqueList(rule, 1, MAX_RULES, "rules")), rulesDescription),
  subject: z.optional(text(1, MAX_SUBJECT_CHARACTERS, subjectDescription)),
  levels: described(z.optional(uniqueList(oneOf(riskLevels), 1, riskLevels.length, "levels")), levelsDescription),
  from: z.optional(
    boundedInteger(
      0,
      END_OF_TIME_MS,
      "Epoch milliseconds: when it begins, at most 90 days ahead. Without it, and in the past, now.",
    ),
  ),
  until: boundedInteger(0, END_OF_TIME_MS, "Epoch milliseconds: when it ends, at most 90 days after its beginning."),
  weekly: z.optional(WeeklyRequest),
  reason: text(1, MAX_REASON_CHARACTERS, reasonDescription),
  includeCritical: described(z._default(z.boolean({ error: "expected true or false" }), false), criticalDescription),
}).register(z.globalRegistry, { id: "MuteRequest", description: "A mute to create." });
export type MuteRequest = z.output<typeof MuteRequest>;

export const muteStates = ["planned", "active", "ended"] as const;
export type MuteState = (typeof muteStates)[number];

/** What a mute has hidden. */
export const Hidden = z
  .object({
    alerts: count("Alerts of which a notification was withheld, or would have been."),
    notifications: count("Notifications that were withheld: by alert, change and destination."),
    byLevel: described(
      z.partialRecord(z.enum(riskLevels), z.number()),
      "The alerts by the highest level at which they were hidden.",
    ),
  })
  .register(z.globalRegistry, { id: "HiddenByMute", description: "What a mute has hidden." });
export type Hidden = z.output<typeof Hidden>;

/** What decides when a mute acts, and on which alerts. */
export const MuteScope = z.object({
  rules: z.optional(described(z.array(z.string()), rulesDescription)),
  subject: z.optional(described(z.string(), subjectDescription)),
  levels: z.optional(described(z.array(z.enum(riskLevels)), levelsDescription)),
  from: epochMs("when it begins."),
  until: epochMs("when it ends, if no user ends it before."),
  weekly: z.optional(Weekly),
  includeCritical: described(z.boolean(), criticalDescription),
});
export type MuteScope = z.output<typeof MuteScope>;

/** A mute as it is returned. */
export const Mute = z
  .object({
    id: z.string(),
    ...MuteScope.shape,
    reason: described(z.string(), reasonDescription),
    createdBy: z.string(),
    createdAt: epochMs(),
    state: described(z.enum(muteStates), "`planned`: before its beginning, and between its weekly spans."),
    endedAt: z.optional(epochMs("when it ended.")),
    endedBy: z.optional(described(z.string(), "The user who ended it; absent if it ended by itself.")),
    hidden: Hidden,
  })
  .register(z.globalRegistry, {
    id: "Mute",
    description: "Alerts that are not sent for a time, and what it has hidden.",
  });
export type Mute = z.output<typeof Mute>;

/** The levels that a mute acts on. */
export const levelsOf = ({
  levels,
  includeCritical,
}: Pick<MuteScope, "levels" | "includeCritical">): readonly RiskLevel[] =>
  levels ?? riskLevels.filter((level) => includeCritical || level !== "CRITICAL");

/** Whether a mute acts on alerts that need attention at once. Then its creation is an alert itself. */
export const coversHigh = (mute: Pick<MuteScope, "levels" | "includeCritical">): boolean =>
  levelsOf(mute).some((level) => level === "HIGH" || level === "CRITICAL");
