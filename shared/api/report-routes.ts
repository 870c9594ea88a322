/** The endpoints of reports. Decisions: docs/reports.md. */
import * as z from "zod/mini";
import { linkQuery } from "../http/link-key.ts";
import { defineRoutes, idOf, pagesOf } from "../http/route.ts";
import { trueOrFalse } from "../json/true-or-false.ts";
import { Report, ReportEntry, ReportPosition } from "../reports/report.ts";
import { ReportLink } from "../reports/report-link.ts";
import { ReviewedReport, ReviewRequest } from "../reports/report-review.ts";

const params = idOf("report", "report_not_found", "The id from the list, such as `compliance-2026-11-21`.");

export const reportRoutes = defineRoutes("reports", {
  listReports: {
    method: "GET",
    path: "/api/integrations/provider/reports",
    permission: "security:read",
    summary: "List reports",
    description:
      "Returns the organization's compliance reports, one for each UTC day, security reviews, one for each week from Monday to Sunday, and reports of each calendar month; the latest period first.",
    paging: pagesOf(ReportPosition),
    request: {
      query: z.object({
        reviewed: z.optional(
          trueOrFalse("Only reports that somebody has reviewed (true), or only the others (false)."),
        ),
      }),
    },
    success: { status: 200, description: "A page of the list.", body: z.array(ReportEntry) },
  },
  getReport: {
    method: "GET",
    path: "/api/integrations/provider/reports/{id}",
    permission: "security:read",
    summary: "Read a report",
    description:
      "Returns a report with its sections, or an HTML page with charts if `Accept` prefers `text/html`. The page is self-contained.",
    request: { params },
    success: { status: 200, description: "The report.", body: Report, html: true },
    failures: ["report_not_found"],
  },
  reviewReport: {
    method: "POST",
    path: "/api/integrations/provider/reports/{id}/review",
    permission: "security:manage",
    summary: "Review a report",
    description:
      "Notes that the caller has reviewed the report, with an optional note. The first review stands; later ones join `reviews`, at most 100.",
    request: { params, body: ReviewRequest },
    isIdempotent: true,
    success: { status: 200, description: "The report's reviews.", body: ReviewedReport },
    failures: ["report_not_found", "too_many_reviews", "idempotency_conflict"],
  },
  createReportLink: {
    method: "POST",
    path: "/api/integrations/provider/reports/{id}/link",
    permission: "security:read",
    summary: "Create a link to a report",
    description:
      "Returns a URL that shows the report's HTML page in a browser without a token, for 10 minutes. Anyone with the URL can open it; each opening is recorded under the name of the caller who created it.",
    request: { params },
    isIdempotent: true,
    success: { status: 200, description: "The link.", body: ReportLink },
    failures: ["report_not_found", "idempotency_conflict"],
  },
  openReportLink: {
    method: "GET",
    path: "/api/integrations/provider/reports/{id}/page",
    permission: "link",
    summary: "Open a link to a report",
    description:
      "Returns the report's HTML page. The link is the authentication: a link without its key is 401; one that was altered, or issued for another report, is 404; one that has expired is 410. The organization's IP allowlist holds.",
    request: { params, query: linkQuery },
    success: { status: 200, description: "The page.", html: true },
    failures: ["no_bearer_token", "report_not_found", "link_not_found", "link_ended"],
  },
});
