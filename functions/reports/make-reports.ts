/** Makes a report that is due, once for its period; the bus delivers the requests. Decisions: docs/reports.md. */
import type { ReportMaker } from "../../shared/reports/make-report.ts";
import { ReportDue } from "../../shared/reports/report-due.ts";
import { createBusHandler } from "../../shared/runtime/create-bus-handler.ts";
import { wireReportMaker } from "../../shared/wiring/reports.ts";

export const makeReportsHandler = (make: ReportMaker) =>
  createBusHandler("make-reports", ReportDue, (detail) => make(detail));

export const handler = makeReportsHandler(wireReportMaker());
