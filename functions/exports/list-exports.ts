/**
 * GET /api/integrations/provider/security/exports: lists the organization's exports with their progress, the latest first.
 * Decisions: docs/exports.md, "Requests".
 */
import { exportRoutes } from "../../shared/api/export-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireExportStore } from "../../shared/wiring/exports.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const exports = wireExportStore();

export const handler = createHandler(
  exportRoutes.listExports,
  ({ caller, page }) => exports.list(caller.organizationId, { ...page, now: systemClock() }),
  wireHandler(exportRoutes.listExports),
);
