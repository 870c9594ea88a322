/**
 * GET /api/integrations/provider/reports/{id}/page?key=…: the report's page for the holder of a link; each opening is
 * recorded. Decisions: docs/reports.md, "Links".
 */
import { reportRoutes } from "../../shared/api/report-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { readLinkKey } from "../../shared/http/link-key.ts";
import { renderReport } from "../../shared/reports/html/render-report.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireReportLinkOpener, wireReportReader } from "../../shared/wiring/reports.ts";

const route = reportRoutes.openReportLink;
const reports = wireReportReader();
const openLink = wireReportLinkOpener();

export const handler = createHandler(
  route,
  async ({ caller, origin, params }) => {
    const report = await reports.get(params.id, { caller, origin }, "report_by_link");
    return { html: renderReport(report, caller.organizationId) };
  },
  {
    ...wireHandler(route),
    openLink: async (event) => openLink(event.pathParameters?.id ?? "", readLinkKey(event)),
  },
);
