/**
 * GET /api/integrations/provider/security/exports/{id}: an export with its progress, or with links to its files.
 * Decisions: docs/exports.md, "Links".
 */
import { exportRoutes } from "../../shared/api/export-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireReadExport } from "../../shared/wiring/exports.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const readExport = wireReadExport();

export const handler = createHandler(
  exportRoutes.getExport,
  ({ params, caller, origin }) => readExport(params.id, { caller, origin }),
  wireHandler(exportRoutes.getExport),
);
