/**
 * GET /api/integrations/provider/detection/rules: the built-in rules with the organization's settings. Each read is recorded.
 * Decisions: docs/rules.md.
 */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { describeRules } from "../../shared/detection/change-rule.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireRuleSettings } from "../../shared/wiring/rule-settings.ts";
import { wireDataReads } from "../../shared/wiring/security.ts";

const route = detectionRoutes.listDetectionRules;
const settings = wireRuleSettings();
const reads = wireDataReads();

export const handler = createHandler(
  route,
  async ({ caller, origin }) => {
    const rules = describeRules(await settings.read(caller.organizationId));
    await reads.record({ caller, origin, kind: "detection_rules", resourceType: "security_event" });
    return rules;
  },
  wireHandler(route),
);
