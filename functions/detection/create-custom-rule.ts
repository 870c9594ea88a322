/** POST /api/integrations/provider/detection/custom-rules: creates an own rule. docs/rules.md, "Own rules". */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireCreateCustomRule } from "../../shared/wiring/custom-rules.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";

const route = detectionRoutes.createCustomRule;
const create = wireCreateCustomRule();

export const handler = createHandler(
  route,
  ({ body, ...request }) => create(body, request),
  withAnswerOnce(wireHandler(route)),
);
