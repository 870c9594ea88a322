/**
 * Works on a sync run, begins a scheduled one, proves an API key, or reads the account's activity; the bus delivers the
 * requests.
 * Decisions: docs/sync.md, "The worker".
 */
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { RequestedWork } from "../../shared/sync/sync-request.ts";
import { wireRunWorker } from "../../shared/wiring/sync-worker.ts";

const { work, proveKey, readActivity } = wireRunWorker();

export const handler = createBusHandler("run-sync", RequestedWork, async (request, { id, remainingMs }) => {
  if ("proveKey" in request) return proveKey(request.organizationId);
  if ("readActivity" in request) return readActivity(request.organizationId, remainingMs);
  return work(request, { delivery: id, remainingMs });
});
