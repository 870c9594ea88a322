/** GET /api/integrations/provider/detection/custom-rules: the organization's own rules. docs/rules.md, "Own rules". */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireReadCustomRules } from "../../shared/wiring/custom-rules.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const route = detectionRoutes.listCustomRules;
const { list } = wireReadCustomRules();

export const handler = createHandler(
  route,
  ({ caller, page }) => list(caller.organizationId, page),
  wireHandler(route),
);
