/** POST /api/integrations/provider/reports/{id}/review: notes that the caller has reviewed a report. docs/reports.md, "Reviews". */
import { reportRoutes } from "../../shared/api/report-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireAddReview } from "../../shared/wiring/reports.ts";

const route = reportRoutes.reviewReport;
const review = wireAddReview();

export const handler = createHandler(
  route,
  ({ params, body, caller, origin, identity }) => review(params.id, body.note, { caller, origin, identity }),
  withAnswerOnce(wireHandler(route)),
);
