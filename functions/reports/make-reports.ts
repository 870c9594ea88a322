/** Makes a due report, once for its period; a bus event requests it. Decisions: docs/reports.md. */
import { ReportDue } from "../../shared/reports/make-report.ts";
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { wireReportMaker } from "../../shared/wiring/reports.ts";

const make = wireReportMaker();

export const handler = createBusHandler("make-reports", ReportDue, (detail) => make(detail));
