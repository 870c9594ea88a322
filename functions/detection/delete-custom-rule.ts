/** DELETE /api/integrations/provider/detection/custom-rules/{id}: deletes an own rule. docs/rules.md, "Own rules". */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireDeleteCustomRule } from "../../shared/wiring/custom-rules.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = detectionRoutes.deleteCustomRule;
const remove = wireDeleteCustomRule();

export const handler = createHandler(
  route,
  ({ params, caller, origin }) => remove(params.id, { caller, origin }),
  wireHandler(route),
);
