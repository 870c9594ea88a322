/** PUT /api/integrations/provider/detection/custom-rules/{id}: replaces an own rule. docs/rules.md, "Own rules". */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireChangeCustomRule } from "../../shared/wiring/custom-rules.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = detectionRoutes.changeCustomRule;
const change = wireChangeCustomRule();

export const handler = createHandler(
  route,
  ({ params, body, caller, origin }) => change(params.id, body, { caller, origin }),
  wireHandler(route),
);
