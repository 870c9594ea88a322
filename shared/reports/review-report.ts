/** What a security review says of a week, beside the four before it. Built by build-review-report.ts. */
import * as z from "zod/mini";
import { findingRules } from "../security/alerts/finding.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import {
  ByLevel,
  count,
  described,
  durationMs,
  more,
  ReportedAlert,
  reportEntryFields,
  time,
} from "./report-fields.ts";

/** The weeks before that a week is held against. */
export const WEEKS_BEFORE = 4;

export const ReviewedDay = z.object({
  from: time("the UTC day's beginning."),
  events: count("Events."),
  failures: count("Events without success."),
  refusals: count("Failed authentications and denied permissions."),
});
export type ReviewedDay = z.output<typeof ReviewedDay>;

export const ReviewedCircuit = z.object({
  openMs: durationMs("how long no call was let through, forced open included."),
  forcedOpenMs: durationMs("how long of that an operator held it."),
  openings: count("How often it opened."),
  isExact: z.boolean().register(z.globalRegistry, {
    description:
      "False where a change was not recorded, as below SECURITY_LOG_LEVEL; then it was open at least so long.",
  }),
});
export type ReviewedCircuit = z.output<typeof ReviewedCircuit>;

export const ReviewedWeek = z.object({
  from: time("its Monday."),
  events: count("Events."),
  failures: count("Events without success."),
  refusals: count("Failed authentications and denied permissions."),
  alerts: ByLevel,
  syncFailures: count("Sync runs that failed."),
  circuit: ReviewedCircuit,
});
export type ReviewedWeek = z.output<typeof ReviewedWeek>;

export const measures = [
  "events",
  "failures",
  "failureRate",
  "refusals",
  "alerts",
  "syncFailures",
  "circuitOpenMs",
] as const;
export type Measure = (typeof measures)[number];

export const Trend = z.object({
  measure: z.enum(measures),
  value: z.number(),
  before: z.number().register(z.globalRegistry, { description: "The mean of the weeks before." }),
  change: z.optional(
    z.number().register(z.globalRegistry, {
      description:
        "The change as a share of `before`: 0.5 is half as much again; absent where there was nothing before.",
    }),
  ),
});
export type Trend = z.output<typeof Trend>;

export const RuleCount = z.object({
  rule: z.enum(findingRules),
  alerts: count("Alerts of this rule that were raised in the week."),
  findings: count("How often those, and the older ones seen in the week, were raised in all."),
  before: z.number().register(z.globalRegistry, { description: "Alerts a week, the mean of the weeks before." }),
});
export type RuleCount = z.output<typeof RuleCount>;

export const Recommendation = z.object({
  level: z.enum(riskLevels),
  action: described("What to do."),
  because: described("What suggests it."),
});
export type Recommendation = z.output<typeof Recommendation>;

export const ReviewReport = z
  .object({
    ...reportEntryFields,
    kind: z.literal("review"),
    unprocessedHighRiskEvents: count("HIGH and CRITICAL events that nobody had processed at the period's end."),
    openAlerts: count("Alerts that nobody had acknowledged when the report was made."),
    week: ReviewedWeek,
    weeksBefore: z.array(ReviewedWeek).register(z.globalRegistry, {
      description: "The weeks before, oldest first: four, fewer where retention is shorter.",
    }),
    days: z.array(ReviewedDay).register(z.globalRegistry, { description: "All days of these weeks, oldest first." }),
    trends: z.array(Trend),
    findings: z.array(ReportedAlert).register(z.globalRegistry, {
      description: "Findings of detection that were seen in the week, the gravest and most frequent first.",
    }),
    moreFindings: more("findings"),
    rules: z.array(RuleCount),
    recommendations: z.array(Recommendation),
  })
  .register(z.globalRegistry, { id: "ReviewReport", description: "A week beside the four before it." });
export type ReviewReport = z.output<typeof ReviewReport>;
