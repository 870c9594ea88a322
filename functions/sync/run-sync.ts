/**
 * Works on a sync run, or begins one that the schedule asks for; the bus delivers the requests.
 * Decisions: docs/sync.md, "The worker".
 */
import { createBusHandler } from "../../shared/runtime/create-bus-handler.ts";
import type { RunWorker } from "../../shared/sync/run-worker.ts";
import { SyncRequested } from "../../shared/sync/sync-request.ts";
import { wireRunWorker } from "../../shared/wiring/sync-worker.ts";

export const runSyncHandler = (work: RunWorker) =>
  createBusHandler("run-sync", SyncRequested, (request, { id, remainingMs }) =>
    work(request, { delivery: id, remainingMs }),
  );

export const handler = runSyncHandler(wireRunWorker());
