/** Every hour: asks for the reports whose period is over and that were not made. Decisions: docs/reports.md. */
import type { createReportDispatcher } from "../../shared/reports/dispatch-reports.ts";
import { createScheduledHandler } from "../../shared/runtime/create-scheduled-handler.ts";
import { wireReportDispatcher } from "../../shared/wiring/reports.ts";

export const dispatchReportsHandler = (dispatch: ReturnType<typeof createReportDispatcher>) =>
  createScheduledHandler("dispatch-reports", ({ remainingMs }) => dispatch(remainingMs));

export const handler = dispatchReportsHandler(wireReportDispatcher());
