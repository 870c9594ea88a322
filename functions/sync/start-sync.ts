/**
 * POST /api/integrations/provider/sync: starts a sync run of the caller's organization.
 * Decisions: docs/sync.md, "On demand".
 */
import { syncRoutes } from "../../shared/api/sync-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import type { StartSync } from "../../shared/sync/start-sync.ts";
import { wireParts } from "../../shared/wiring/http.ts";
import { wireStartSync } from "../../shared/wiring/sync.ts";

type Dependencies = { start: StartSync };

export const startSyncHandler = ({ start }: Dependencies, parts: HandlerParts) =>
  createHandler(
    syncRoutes.startSync,
    ({ body, caller, origin, idempotencyKey }) => start(body, { caller, origin, idempotencyKey }),
    parts,
  );

export const handler = startSyncHandler({ start: wireStartSync() }, wireParts(syncRoutes.startSync));
