/** PUT /api/integrations/provider/detection/rules/{rule}: replaces the settings of a built-in rule. Decisions: docs/rules.md. */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireChangeRule } from "../../shared/wiring/rule-settings.ts";

const route = detectionRoutes.changeDetectionRule;
const change = wireChangeRule();

export const handler = createHandler(
  route,
  ({ params, body, caller, origin }) => change(params.rule, body, { caller, origin }),
  wireHandler(route),
);
