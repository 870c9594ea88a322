/** The security review of a week, compared with the four weeks before. Built by build-review-report.ts. */
import * as z from "zod/mini";
import { count, epochMs } from "../json/number-fields.ts";
import { builtInRules } from "../security/alerts/finding.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { ByCause, ByLevel, described, durationMs, more, ReportedAlert, reportEntryFields } from "./report-fields.ts";
import { allReviews } from "./report-review.ts";

/** The number of weeks before that a week is compared with. */
export const WEEKS_BEFORE = 4;

const numberOf = (description: string) => z.number().register(z.globalRegistry, { description });

const eventCounts = {
  events: count("Events."),
  failures: count("Failed events."),
  refusals: count("Failed authentications and denied permissions."),
};

export const ReviewedDay = z.object({ from: epochMs("the UTC day's beginning."), ...eventCounts });
export type ReviewedDay = z.output<typeof ReviewedDay>;

export const ReviewedCircuit = z.object({
  openMs: durationMs("how long the circuit rejected all calls, including forced open."),
  forcedOpenMs: durationMs("how long of that an operator held it open."),
  openings: count("How often it opened."),
  isExact: z.boolean().register(z.globalRegistry, {
    description:
      "False if a change was not recorded, for example below SECURITY_LOG_LEVEL; `openMs` is then a lower bound.",
  }),
});
export type ReviewedCircuit = z.output<typeof ReviewedCircuit>;

export const ReviewedWeek = z.object({
  from: epochMs("its Monday."),
  ...eventCounts,
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
  before: numberOf("The mean of `weeksBefore`; 0 if there is no week to compare with."),
  change: z.optional(
    numberOf("The change as a share of `before`: 0.5 is an increase by half; absent if `before` is 0."),
  ),
});
export type Trend = z.output<typeof Trend>;

export const RuleCount = z.object({
  rule: z.enum(builtInRules),
  alerts: count("Alerts of this rule that were raised in the week."),
  findings: count("How often those alerts, and older ones seen in the week, were raised in all."),
  before: numberOf("Alerts per week: the mean of `weeksBefore`; 0 if there is no week to compare with."),
});
export type RuleCount = z.output<typeof RuleCount>;

export const Recommendation = z.object({
  level: z.enum(riskLevels),
  action: described("What to do."),
  because: described("The observation that suggests it."),
});
export type Recommendation = z.output<typeof Recommendation>;

export const ReviewReport = z
  .object({
    ...reportEntryFields,
    reviews: allReviews,
    kind: z.literal("review"),
    unprocessedHighRiskEvents: count("HIGH and CRITICAL events that were unprocessed at the period's end."),
    openAlerts: count("Alerts that were not acknowledged when the report was made."),
    resolvedByCause: z.optional(ByCause),
    week: ReviewedWeek,
    weeksBefore: z.array(ReviewedWeek).register(z.globalRegistry, {
      description:
        "The four weeks before, the oldest first; fewer if the organization did not exist or the retention is shorter.",
    }),
    days: z
      .array(ReviewedDay)
      .register(z.globalRegistry, { description: "All days of these weeks, the oldest first." }),
    trends: z.array(Trend),
    findings: z.array(ReportedAlert).register(z.globalRegistry, {
      description: "Findings of detection that were seen in the week, the gravest and most frequent first.",
    }),
    moreFindings: more("findings"),
    rules: z.array(RuleCount),
    recommendations: z.array(Recommendation),
  })
  .register(z.globalRegistry, { id: "ReviewReport", description: "A week, compared with up to four weeks before." });
export type ReviewReport = z.output<typeof ReviewReport>;
