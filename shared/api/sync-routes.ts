/** The endpoints of sync runs. Decisions: docs/sync.md. */
import * as z from "zod/mini";
import { defineRoutes, PositionById, pagesOf } from "../http/route.ts";
import { SyncRequest, SyncRun } from "../sync/sync-run.ts";

export const syncRoutes = defineRoutes("sync", {
  startSync: {
    method: "POST",
    path: "/api/integrations/provider/sync",
    permission: "sync:run",
    summary: "Start a sync run",
    description:
      "Starts a run and returns it; `GET …/sync` shows its progress. An organization has at most one active run.",
    request: { body: SyncRequest },
    isIdempotent: true,
    success: { status: 202, description: "The run that was started.", body: SyncRun },
    failures: ["not_connected", "sync_running", "idempotency_conflict", "circuit_open"],
  },
  listSyncRuns: {
    method: "GET",
    path: "/api/integrations/provider/sync",
    permission: "status:read",
    summary: "List sync runs",
    description: "Returns the organization's runs with their progress, the latest start first.",
    paging: pagesOf(PositionById),
    success: { status: 200, description: "A page of runs.", body: z.array(SyncRun) },
  },
});
