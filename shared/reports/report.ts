/** Reports as they are stored and returned. Their sections: compliance-report.ts, review-report.ts, month-report.ts. */
import * as z from "zod/mini";
import { cursorTime } from "../json/cursor-time.ts";
import { ComplianceReport } from "./compliance-report.ts";
import { MonthReport } from "./month-report.ts";
import { reportEntryFields } from "./report-fields.ts";
import { ReviewReport } from "./review-report.ts";

export const ReportEntry = z
  .object(reportEntryFields)
  .register(z.globalRegistry, { id: "ReportEntry", description: "A report in the list." });
export type ReportEntry = z.output<typeof ReportEntry>;

export const Report = z
  .discriminatedUnion("kind", [ComplianceReport, ReviewReport, MonthReport])
  .register(z.globalRegistry, { id: "Report", description: "A report with its sections, by its kind." });
export type Report = z.output<typeof Report>;

/** Where a page of the list ended. */
export const ReportPosition = z.object({ id: z.string(), to: cursorTime, createdAt: cursorTime });
export type ReportPosition = z.output<typeof ReportPosition>;
