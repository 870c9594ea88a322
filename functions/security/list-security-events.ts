/**
 * GET /api/integrations/provider/security: events, statistics and open findings of the caller's organization.
 * Spec: "GET /api/integrations/provider/security"; order, filters and counting: docs/decisions.md, "Security events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { readSecurityReport } from "../../shared/security/monitoring/security-report.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireSecurityReport } from "../../shared/wiring/security.ts";

const report = wireSecurityReport();

export const handler = createHandler(
  securityRoutes.listSecurityEvents,
  ({ caller, query, page }) =>
    readSecurityReport(report, { organizationId: caller.organizationId, query, page }, systemClock()),
  wireHandler(securityRoutes.listSecurityEvents),
);
