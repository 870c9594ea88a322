/**
 * POST /api/integrations/provider/security/exports: requests an export of security events.
 * Decisions: docs/exports.md, "Requests".
 */
import { exportRoutes } from "../../shared/api/export-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireProofSpan } from "../../shared/wiring/evidence.ts";
import { wireRequestExport } from "../../shared/wiring/exports.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";

const requestExport = wireRequestExport(wireProofSpan());

export const handler = createHandler(
  exportRoutes.startEventExport,
  ({ body, caller, origin, identity }) =>
    requestExport({ kind: "events", request: body }, { caller, origin, identity }),
  withAnswerOnce(wireHandler(exportRoutes.startEventExport)),
);
