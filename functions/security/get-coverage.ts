/**
 * GET /api/integrations/provider/security/coverage: whether the events of a month are complete, as sums.
 * Decisions: docs/evidence.md, "Coverage".
 */
import { evidenceRoutes } from "../../shared/api/evidence-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireReadCoverage } from "../../shared/wiring/completeness.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const readCoverage = wireReadCoverage();

export const handler = createHandler(
  evidenceRoutes.getCoverage,
  ({ caller: { organizationId }, query }) => readCoverage(organizationId, query),
  wireHandler(evidenceRoutes.getCoverage),
);
