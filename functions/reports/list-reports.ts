/**
 * GET /api/integrations/provider/reports: lists the reports of the organization, the latest first; each read is recorded.
 * Spec: "Periodic processing"; order and pages: docs/reports.md.
 */
import { reportRoutes } from "../../shared/api/report-routes.ts";
import { createHandler, type HandlerDependencies } from "../../shared/http/create-handler.ts";
import type { ReportReader } from "../../shared/reports/read-report.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireReportReader } from "../../shared/wiring/reports.ts";

type Dependencies = { reports: Pick<ReportReader, "list"> };

export const listReportsHandler = ({ reports }: Dependencies, parts: HandlerDependencies) =>
  createHandler(
    reportRoutes.listReports,
    ({ caller, origin, page, query: { reviewed } }) =>
      reports.list({ ...page, isReviewed: reviewed }, { caller, origin }),
    parts,
  );

export const handler = listReportsHandler({ reports: wireReportReader() }, wireHandler(reportRoutes.listReports));
