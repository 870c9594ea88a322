/**
 * POST /api/integrations/provider/export: requests an export of all data of the organization.
 * Decisions: docs/exports.md, "All data of an organization".
 */
import { exportRoutes } from "../../shared/api/export-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireRequestExport } from "../../shared/wiring/exports.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";

const requestExport = wireRequestExport();

export const handler = createHandler(
  exportRoutes.startOrganizationExport,
  ({ caller, origin, identity }) => requestExport({ kind: "organization" }, { caller, origin, identity }),
  withAnswerOnce(wireHandler(exportRoutes.startOrganizationExport)),
);
