/**
 * POST /api/integrations/provider/sync: starts a sync run of the caller's organization.
 * Decisions: docs/sync.md, "On demand".
 */
import { syncRoutes } from "../../shared/api/sync-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireStartSync } from "../../shared/wiring/sync.ts";

const start = wireStartSync();

export const handler = createHandler(
  syncRoutes.startSync,
  ({ body, caller, origin, identity }) => start(body, { caller, origin, identity }),
  withAnswerOnce(wireHandler(syncRoutes.startSync)),
);
