/** The endpoints of reports. Decisions: docs/reports.md. */
import * as z from "zod/mini";
import { defineRoute, type Route } from "../http/route.ts";
import { Report, ReportEntry, ReportPosition } from "../reports/report.ts";

export const reportRoutes = {
  listReports: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/reports",
    permission: "security:read",
    tag: "reports",
    summary: "List reports",
    description:
      "Returns the organization's compliance reports, one for each UTC day, and security reviews, one for each week from Monday to Sunday; the latest period first.",
    request: {},
    paging: { defaultLimit: 50, maxLimit: 1000, position: ReportPosition },
    success: { status: 200, description: "A page of the list.", body: z.array(ReportEntry) },
    failures: [],
  }),
  getReport: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/reports/{id}",
    permission: "security:read",
    tag: "reports",
    summary: "Read a report",
    description:
      "Returns a report with its sections, or an HTML page with charts if `Accept` prefers `text/html`. The page is self-contained.",
    request: {
      params: z.object({
        id: z
          .string()
          .register(z.globalRegistry, { description: "The id from the list, such as `compliance-2026-11-21`." }),
      }),
    },
    success: { status: 200, description: "The report.", body: Report, html: true },
    failures: ["report_not_found"],
  }),
} as const satisfies Record<string, Route>;
