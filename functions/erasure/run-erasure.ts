/** Works on an erasure; the bus delivers the requests. Decisions: docs/erasure.md, "Rounds". */

import { ErasureRequested } from "../../shared/erasure/erasure-requested.ts";
import type { ErasureWorker } from "../../shared/erasure/erasure-worker.ts";
import { createBusHandler } from "../../shared/runtime/create-bus-handler.ts";
import { wireErasureWorker } from "../../shared/wiring/erasure.ts";

export const runErasureHandler = (work: ErasureWorker) =>
  createBusHandler("run-erasure", ErasureRequested, (request, { id, remainingMs }) =>
    work(request, { delivery: id, remainingMs }),
  );

export const handler = runErasureHandler(wireErasureWorker());
