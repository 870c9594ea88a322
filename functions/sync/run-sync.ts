/**
 * Works on a sync run, begins a scheduled one, or proves an API key; the bus delivers the requests.
 * Decisions: docs/sync.md, "The worker".
 */
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { RequestedWork } from "../../shared/sync/sync-request.ts";
import { wireRunWorker } from "../../shared/wiring/sync-worker.ts";

const { work, proveKey } = wireRunWorker();

export const handler = createBusHandler("run-sync", RequestedWork, (request, { id, remainingMs }) =>
  "proveKey" in request ? proveKey(request.organizationId) : work(request, { delivery: id, remainingMs }),
);
