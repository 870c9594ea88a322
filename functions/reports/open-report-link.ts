/**
 * GET /api/integrations/provider/reports/{id}/page?key=…: the report's page for the holder of a link; each opening is
 * recorded. Decisions: docs/reports.md, "Links".
 */
import { reportRoutes } from "../../shared/api/report-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { parseFields, parseQuery } from "../../shared/http/parse-request.ts";
import { renderReport } from "../../shared/reports/html/render-report.ts";
import { DomainError } from "../../shared/runtime/domain-error.ts";
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
    openLink: async ({ pathParameters, rawQueryString }) => {
      const sent = parseQuery(rawQueryString, ["key"], true);
      if (sent.key === undefined) {
        throw new DomainError("no_bearer_token", "The link lacks its key. Open the link as it was created.");
      }
      const { key } = parseFields(route.request.query, sent, "query");
      return openLink(pathParameters?.id ?? "", key);
    },
  },
);
