/**
 * Works on a sync run, begins a scheduled one, proves an API key, or does the hourly work for an account: looks at its
 * webhook endpoint once a day, and reads its activity. The bus delivers the requests.
 * Decisions: docs/sync.md, "The worker".
 */
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { RequestedWork } from "../../shared/sync/sync-request.ts";
import { wireRunWorker } from "../../shared/wiring/sync-worker.ts";

const { work, proveKey, readActivity, checkEndpoint } = wireRunWorker();

export const handler = createBusHandler("run-sync", RequestedWork, async (request, { id, remainingMs }) => {
  if ("proveKey" in request) return proveKey(request.organizationId);
  if ("readActivity" in request) {
    const checked = await checkEndpoint(request.organizationId);
    return Object.assign(await readActivity(request.organizationId, remainingMs), checked);
  }
  return work(request, { delivery: id, remainingMs });
});
