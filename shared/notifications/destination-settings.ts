/** What a destination gets, and when: its filter, quiet hours, digest and reports. Pure. docs/notifications.md. */
import * as z from "zod/mini";
import { boundedInteger } from "../json/bounded-integer.ts";
import { described } from "../json/described.ts";
import { integer } from "../json/number-fields.ts";
import { oneOf, uniqueList } from "../json/unique-list.ts";
import { timeOfDay, timeZone } from "../json/zoned-fields.ts";
import { type RiskLevel, riskLevels } from "../terms/risk-levels.ts";
import { type NotifiedChange, notifiedChanges } from "./messages/notification.ts";

/** Reports that an e-mail destination can get: compliance reports daily, security reviews weekly, and one of each month. */
export const reportRhythms = ["daily", "weekly", "monthly"] as const;
export type ReportRhythm = (typeof reportRhythms)[number];

const MAX_RULES = 50;
const MAX_RULE_CHARACTERS = 64;

const RULE_EXPECTED = `expected the name of a rule, at most ${MAX_RULE_CHARACTERS} lower-case letters, digits and underscores`;
const rule = z
  .string({ error: RULE_EXPECTED })
  .check(z.regex(new RegExp(`^[a-z][a-z0-9_]{0,${MAX_RULE_CHARACTERS - 1}}$`), { error: RULE_EXPECTED }));

const filterFields = {
  levels: described(
    z.optional(uniqueList(oneOf(riskLevels), 1, riskLevels.length, "levels")),
    "The levels that are notified; without it all.",
  ),
  rules: described(
    z.optional(uniqueList(rule, 1, MAX_RULES, "rules")),
    "The rules whose alerts are notified; without it all.",
  ),
  changes: described(
    z.optional(uniqueList(oneOf(notifiedChanges), 0, notifiedChanges.length, "changes")),
    "The changes that are notified; without it all. An empty list: no alerts, for a destination that gets reports only.",
  ),
};

/** Which changes of alerts a destination gets. */
export const DestinationFilter = z.object(filterFields).register(z.globalRegistry, {
  id: "DestinationFilter",
  description: "Which changes of alerts a destination gets. A missing list means all.",
});
export type DestinationFilter = { levels?: RiskLevel[]; rules?: string[]; changes?: NotifiedChange[] };

/** `from` inclusive, `to` exclusive; they may include midnight. */
export const QuietHours = z
  .object({
    from: timeOfDay,
    to: timeOfDay,
    timeZone,
    exceptCritical: described(
      z._default(z.boolean({ error: "expected true or false" }), true),
      "Whether notifications of CRITICAL alerts are sent at once nevertheless.",
    ),
  })
  .register(z.globalRegistry, {
    id: "QuietHours",
    description: "Each day's hours in which notifications are held for one summary.",
  });
export type QuietHours = z.output<typeof QuietHours>;

/** Instead of single notifications, one summary an hour or a day. `at` and `timeZone` count for days only. */
export const Digest = z
  .object({
    every: oneOf(["hour", "day"]),
    at: described(z._default(timeOfDay, "08:00"), "When a day's digest is sent."),
    timeZone: z._default(timeZone, "UTC"),
  })
  .register(z.globalRegistry, { id: "Digest", description: "One summary an hour or a day, not single notifications." });
export type Digest = z.output<typeof Digest>;

/** Where alerts go that no user acknowledges in time. check-request.ts looks whether there is such a destination. */
export const Escalation = z
  .object({
    levels: uniqueList(oneOf(riskLevels), 1, riskLevels.length, "levels"),
    afterMinutes: boundedInteger(5, 1_440, "Minutes after the destination was notified."),
    to: described(
      z.string({ error: "expected the id of a destination" }),
      "The id of another destination. An alert that is still open then goes there once, past that destination's filter.",
    ),
  })
  .register(z.globalRegistry, {
    id: "Escalation",
    description: "Where alerts of the destination go that no user acknowledges in time.",
  });
export type Escalation = z.output<typeof Escalation>;

/** An escalation as it is stored and returned. */
export const StoredEscalation = z
  .object({ levels: z.array(z.enum(riskLevels)), afterMinutes: integer("See the request."), to: z.string() })
  .register(z.globalRegistry, { id: "DestinationEscalation", description: "See Escalation." });

/** The reports of an e-mail destination. */
export const reports = described(
  z.optional(uniqueList(oneOf(reportRhythms), 1, reportRhythms.length, "rhythms")),
  "E-mail only: links to the daily compliance report, to the weekly security review, to the monthly report.",
);
