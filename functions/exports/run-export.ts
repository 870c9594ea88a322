/** Works on an export that a bus event requests. Decisions: docs/exports.md, "How an export is written". */
import { ExportRequested } from "../../shared/exports/export-events.ts";
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { wireExportWorker } from "../../shared/wiring/exports.ts";

const work = wireExportWorker();

export const handler = createBusHandler("run-export", ExportRequested, (request, { id, remainingMs }) =>
  work(request, { delivery: id, remainingMs }),
);
