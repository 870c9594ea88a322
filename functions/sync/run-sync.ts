/**
 * Works on a sync run, or begins a scheduled one; the bus delivers the requests.
 * Decisions: docs/sync.md, "The worker".
 */
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { SyncRequested } from "../../shared/sync/sync-request.ts";
import { wireRunWorker } from "../../shared/wiring/sync-worker.ts";

const work = wireRunWorker();

export const handler = createBusHandler("run-sync", SyncRequested, (request, { id, remainingMs }) =>
  work(request, { delivery: id, remainingMs }),
);
