/** Every hour: requests the due reports that were not made. Decisions: docs/reports.md. */
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { wireReportDispatcher } from "../../shared/wiring/reports.ts";

const dispatch = wireReportDispatcher();

export const handler = createScheduledHandler("dispatch-reports", ({ remainingMs }) => dispatch(remainingMs));
