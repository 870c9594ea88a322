/** GET /api/integrations/provider/detection/custom-rules/{id}: one own rule. docs/rules.md, "Own rules". */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireReadCustomRules } from "../../shared/wiring/custom-rules.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = detectionRoutes.getCustomRule;
const { get } = wireReadCustomRules();

export const handler = createHandler(
  route,
  ({ params, caller }) => get(caller.organizationId, params.id),
  wireHandler(route),
);
