/** Works on an erasure that a bus event requests. Decisions: docs/erasure.md, "Passes". */
import { ErasureRequested } from "../../shared/erasure/erasure-events.ts";
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { wireErasureWorker } from "../../shared/wiring/erasure.ts";

const work = wireErasureWorker();

export const handler = createBusHandler("run-erasure", ErasureRequested, (request, { id, remainingMs }) =>
  work(request, { delivery: id, remainingMs }),
);
