/**
 * GET /api/integrations/provider/sync: the organization's sync runs with their progress, newest first.
 * Decisions: docs/sync.md, "Runs".
 */
import { syncRoutes } from "../../shared/api/sync-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireSyncRunStore } from "../../shared/wiring/sync.ts";

const runs = wireSyncRunStore();

export const handler = createHandler(
  syncRoutes.listSyncRuns,
  ({ caller, page }) => runs.list(caller.organizationId, { ...page, now: systemClock() }),
  wireHandler(syncRoutes.listSyncRuns),
);
