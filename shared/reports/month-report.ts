/** The report of a calendar month in UTC: what an assessor asks for. Built by build-month-report.ts. */
import * as z from "zod/mini";
import { connectionStatuses } from "../connection/connection.ts";
import { count, epochMs } from "../json/number-fields.ts";
import { ReportedKey, ReportedMute } from "./compliance-report.ts";
import { ReportedDrill, ReportedIntegrity } from "./evidence-fields.ts";
import { ByCause, ByLevel, more, reportEntryFields } from "./report-fields.ts";
import { allReviews } from "./report-review.ts";
import { ReviewedDay } from "./review-report.ts";

const ReviewedEntry = z.object(reportEntryFields).register(z.globalRegistry, {
  id: "ReviewedEntry",
  description: "A report of the month, and who reviewed it first.",
});

export const MonthReport = z
  .object({
    ...reportEntryFields,
    reviews: allReviews,
    kind: z.literal("month"),
    unprocessedHighRiskEvents: count("HIGH and CRITICAL events that were unprocessed at the month's end."),
    events: count("Events of the month."),
    failures: count("Failed events."),
    refusals: count("Failed authentications and denied permissions."),
    days: z.array(ReviewedDay).register(z.globalRegistry, {
      description: "The sums of each UTC day, the oldest first. Days that are older than the retention are left out.",
    }),
    alerts: z.object({
      raised: count("Alerts whose first evidence is of the month."),
      acknowledged: count("Those of them that were acknowledged or resolved."),
      byLevel: ByLevel,
      resolvedByCause: ByCause,
      open: count("Alerts that nobody had acknowledged when the report was made."),
    }),
    reviewing: z.object({
      reports: count("Daily and weekly reports whose period ended in the month."),
      unreviewed: count("Those of them that nobody had reviewed when this report was made."),
      list: z.array(ReviewedEntry).register(z.globalRegistry, { description: "These reports, the latest first." }),
      moreReports: more("reports"),
    }),
    mutes: z.array(ReportedMute).register(z.globalRegistry, {
      description: "Mutes that acted during the month, the latest first.",
    }),
    moreMutes: more("mutes"),
    rulesOff: z.array(z.string()).register(z.globalRegistry, {
      description: "Built-in rules of detection that were off when the report was made.",
    }),
    lastDrill: z.optional(ReportedDrill),
    connection: z.enum(connectionStatuses).register(z.globalRegistry, { description: "When the report was made." }),
    key: z.optional(ReportedKey),
    integrity: ReportedIntegrity,
    oldestEventAt: z.optional(epochMs("the oldest stored event; absent if there is none.")),
  })
  .register(z.globalRegistry, { id: "MonthReport", description: "The report of a calendar month in UTC." });
export type MonthReport = z.output<typeof MonthReport>;
