/** Works on a preview that a bus event requests. docs/rules.md, "Previews". */
import { PreviewRequested } from "../../shared/previews/preview-events.ts";
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { wirePreviewWorker } from "../../shared/wiring/preview-worker.ts";

const work = wirePreviewWorker();

export const handler = createBusHandler("run-preview", PreviewRequested, (request, { id, remainingMs }) =>
  work(request, { delivery: id, remainingMs }),
);
