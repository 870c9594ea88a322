/**
 * GET /api/integrations/provider/detection/rules: the built-in rules with the organization's settings.
 * Decisions: docs/rules.md.
 */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { describeRules } from "../../shared/detection/change-rule.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireRuleSettings } from "../../shared/wiring/rule-settings.ts";

const route = detectionRoutes.listDetectionRules;
const settings = wireRuleSettings();

export const handler = createHandler(
  route,
  async ({ caller }) => describeRules(await settings.read(caller.organizationId)),
  wireHandler(route),
);
