/** The endpoints of sync runs. Decisions: docs/sync.md. */
import * as z from "zod/mini";
import { defineRoute, type Route } from "../http/route.ts";
import { SyncRequest, SyncRun } from "../sync/sync-run.ts";

export const syncRoutes = {
  startSync: defineRoute({
    method: "POST",
    path: "/api/integrations/provider/sync",
    permission: "sync:run",
    tag: "sync",
    summary: "Start a sync run",
    description:
      "Starts a run and returns it; `GET …/sync` shows its progress. An organization has at most one active run.",
    request: { body: SyncRequest },
    isIdempotent: true,
    success: { status: 202, description: "The run that was started.", body: SyncRun },
    failures: ["not_connected", "sync_running", "idempotency_conflict", "circuit_open"],
  }),
  listSyncRuns: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/sync",
    permission: "status:read",
    tag: "sync",
    summary: "List sync runs",
    description: "Returns the organization's runs with their progress, the latest start first.",
    request: {},
    paging: { defaultLimit: 50, maxLimit: 1000, position: z.object({ id: z.string() }) },
    success: { status: 200, description: "A page of runs.", body: z.array(SyncRun) },
    failures: [],
  }),
} as const satisfies Record<string, Route>;
