/**
 * GET /api/integrations/provider/security/integrity: whether the stored events are those that were sealed.
 * Decisions: docs/evidence.md, "Integrity".
 */
import { evidenceRoutes } from "../../shared/api/evidence-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireReadIntegrity } from "../../shared/wiring/evidence.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const readIntegrity = wireReadIntegrity();

export const handler = createHandler(
  evidenceRoutes.getIntegrity,
  ({ caller: { organizationId }, query }) => readIntegrity(organizationId, query),
  wireHandler(evidenceRoutes.getIntegrity),
);
