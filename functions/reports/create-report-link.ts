/**
 * POST /api/integrations/provider/reports/{id}/link: a link that opens the report's page in a browser, for 10 minutes.
 * Decisions: docs/reports.md, "Links".
 */
import { reportRoutes } from "../../shared/api/report-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireReportLinker } from "../../shared/wiring/reports.ts";

const route = reportRoutes.createReportLink;
const createLink = wireReportLinker();

export const handler = createHandler(
  route,
  ({ params, ...request }) => createLink(params.id, request),
  withAnswerOnce(wireHandler(route)),
);
