/** Reports as pages. docs/reports.md, "Pages". */
import type { Report } from "../report.ts";
import { renderCompliance } from "./compliance-page.ts";
import { renderReview } from "./review-page.ts";

/** A self-contained page of HTML. */
export const renderReport = (report: Report, organizationId: string): string =>
  report.kind === "compliance" ? renderCompliance(report, organizationId) : renderReview(report, organizationId);
