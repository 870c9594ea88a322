/** POST /api/integrations/provider/detection/previews: requests a preview. docs/rules.md, "Previews". */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireRequestPreview } from "../../shared/wiring/previews.ts";

const route = detectionRoutes.startPreview;
const requestPreview = wireRequestPreview();

export const handler = createHandler(
  route,
  ({ body, ...request }) => requestPreview(body, request),
  withAnswerOnce(wireHandler(route)),
);
