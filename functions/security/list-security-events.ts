/**
 * GET /api/integrations/provider/security: events, statistics and open findings of the caller's organization.
 * Spec: "GET /api/integrations/provider/security"; order, filters and counting: docs/decisions.md, "Security events".
 */
import { securityRoutes } from "../../shared/api/security-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { type Clock, systemClock } from "../../shared/runtime/clock.ts";
import { readSecurityReport, type SecurityReportParts } from "../../shared/security/monitoring/security-report.ts";
import { wireParts } from "../../shared/wiring/http.ts";
import { wireSecurityReport } from "../../shared/wiring/security.ts";

type Dependencies = { report: SecurityReportParts; now: Clock };

export const listSecurityEventsHandler = ({ report, now }: Dependencies, parts: HandlerParts) =>
  createHandler(
    securityRoutes.listSecurityEvents,
    ({ caller, query, page }) =>
      readSecurityReport(report, { organizationId: caller.organizationId, query, page }, now()),
    parts,
  );

export const handler = listSecurityEventsHandler(
  { report: wireSecurityReport(), now: systemClock },
  wireParts(securityRoutes.listSecurityEvents),
);
