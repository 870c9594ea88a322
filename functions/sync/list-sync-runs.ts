/**
 * GET /api/integrations/provider/sync: the organization's sync runs with their progress, the last to begin first.
 * Decisions: docs/sync.md, "Runs".
 */
import { syncRoutes } from "../../shared/api/sync-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { type Clock, systemClock } from "../../shared/runtime/clock.ts";
import type { SyncRunStore } from "../../shared/sync/sync-run-store.ts";
import { wireParts } from "../../shared/wiring/http.ts";
import { wireSyncRunStore } from "../../shared/wiring/sync.ts";

type Dependencies = { runs: Pick<SyncRunStore, "list">; now: Clock };

export const listSyncRunsHandler = ({ runs, now }: Dependencies, parts: HandlerParts) =>
  createHandler(
    syncRoutes.listSyncRuns,
    ({ caller, page }) => runs.list(caller.organizationId, { ...page, now: now() }),
    parts,
  );

export const handler = listSyncRunsHandler(
  { runs: wireSyncRunStore(), now: systemClock },
  wireParts(syncRoutes.listSyncRuns),
);
