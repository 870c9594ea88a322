/**
 * GET /api/integrations/provider/reports/{id}: returns a report as JSON or as an HTML page; each read is recorded.
 * Spec: "Periodic processing"; sections: docs/reports.md.
 */
import { reportRoutes } from "../../shared/api/report-routes.ts";
import { createHandler, type HandlerDependencies } from "../../shared/http/create-handler.ts";
import { renderReport } from "../../shared/reports/html/render-report.ts";
import type { ReportReader } from "../../shared/reports/read-report.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireReportReader } from "../../shared/wiring/reports.ts";

type Dependencies = { reports: Pick<ReportReader, "get"> };

export const getReportHandler = ({ reports }: Dependencies, parts: HandlerDependencies) =>
  createHandler(
    reportRoutes.getReport,
    async ({ caller, origin, params, prefersHtml }) => {
      const report = await reports.get(params.id, { caller, origin });
      return prefersHtml ? { html: renderReport(report, caller.organizationId) } : report;
    },
    parts,
  );

export const handler = getReportHandler({ reports: wireReportReader() }, wireHandler(reportRoutes.getReport));
