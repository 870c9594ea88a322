/** The endpoints of detection. Decisions: docs/rules.md. */
import * as z from "zod/mini";
import { CustomRule, CustomRuleChangeRequest, CustomRuleRequest } from "../detection/custom-rules/custom-rule.ts";
import { DetectionRule, DetectionRuleRequest } from "../detection/rule-request.ts";
import { defineRoutes, idOf, PositionById, pagesOf } from "../http/route.ts";
import { Preview, PreviewRequest } from "../previews/preview.ts";

const { id: rule } = idOf("rule", "rule_not_found", "The name of the rule.").shape;

const PREVIEWS = "/api/integrations/provider/detection/previews";

const CUSTOM_RULES = "/api/integrations/provider/detection/custom-rules";

const customRuleId = idOf("rule", "custom_rule_not_found");

export const detectionRoutes = defineRoutes("detection", {
  listDetectionRules: {
    method: "GET",
    path: "/api/integrations/provider/detection/rules",
    permission: "security:read",
    summary: "List the built-in rules",
    description:
      "Returns all built-in rules of detection with the organization's settings, the bounds of thresholds, and the techniques of MITRE ATT&CK that their findings are signs of.",
    success: { status: 200, description: "The rules.", body: z.array(DetectionRule) },
  },
  changeDetectionRule: {
    method: "PUT",
    path: "/api/integrations/provider/detection/rules/{rule}",
    permission: "security:manage",
    summary: "Replace the settings of a rule",
    description:
      "Replaces all settings of a built-in rule; a field that is left out has its default. The next hour that is judged is judged by them; what is found at once, from the next request on. Hours that were judged stay as they are. The same request again changes nothing. Switching a rule off raises an alert, which is resolved when the rule is on again.",
    request: { params: z.object({ rule }), body: DetectionRuleRequest },
    success: { status: 200, description: "The rule as it is now.", body: DetectionRule },
    failures: ["rule_not_found", "revision_conflict"],
  },
  listCustomRules: {
    method: "GET",
    path: CUSTOM_RULES,
    permission: "security:read",
    summary: "List own rules",
    description: "Returns the organization's own rules, oldest first; at most 20.",
    paging: pagesOf(PositionById),
    success: { status: 200, description: "A page of rules.", body: z.array(CustomRule) },
  },
  createCustomRule: {
    method: "POST",
    path: CUSTOM_RULES,
    permission: "security:manage",
    summary: "Create an own rule",
    description:
      "Creates a rule that is judged with every hour of events: it filters them, counts them in windows, and raises an alert if a window has enough of them (`gte`) or too few (`lt`). The first windows begin with the present hour; those of `lt` later. `lt` takes whole hours, and neither `groupBy` nor distinct values. At most 500 distinct values can be asked for.",
    request: { body: CustomRuleRequest },
    isIdempotent: true,
    success: { status: 201, description: "The rule.", body: CustomRule },
    failures: ["too_many_custom_rules", "idempotency_conflict"],
  },
  getCustomRule: {
    method: "GET",
    path: `${CUSTOM_RULES}/{id}`,
    permission: "security:read",
    summary: "Read an own rule",
    description: "Returns one rule. One of mode `dryRun` says what it would have raised.",
    request: { params: customRuleId },
    success: { status: 200, description: "The rule.", body: CustomRule },
    failures: ["custom_rule_not_found"],
  },
  changeCustomRule: {
    method: "PUT",
    path: `${CUSTOM_RULES}/{id}`,
    permission: "security:manage",
    summary: "Replace an own rule",
    description:
      "Replaces the rule if it has the `revision`. Its windows begin again with the present hour, and what a dry run has counted starts again. The same definition changes nothing.",
    request: { params: customRuleId, body: CustomRuleChangeRequest },
    success: { status: 200, description: "The rule.", body: CustomRule },
    failures: ["custom_rule_not_found", "custom_rule_changed"],
  },
  deleteCustomRule: {
    method: "DELETE",
    path: `${CUSTOM_RULES}/{id}`,
    permission: "security:manage",
    summary: "Delete an own rule",
    description: "Nothing more is judged by the rule. Its alerts stay.",
    request: { params: customRuleId },
    success: { status: 204, description: "The rule is deleted." },
    failures: ["custom_rule_not_found"],
  },
  startPreview: {
    method: "POST",
    path: PREVIEWS,
    permission: "security:manage",
    summary: "Preview a change of detection, or a mute",
    description:
      "Judges the stored events of past days again, with the present settings and with the changed ones, and compares the findings and what would be notified of them. Nothing is raised, sent or changed. One preview of an organization runs at a time. It may read 2,000,000 events; a longer period is 400.",
    request: { body: PreviewRequest },
    isIdempotent: true,
    success: {
      status: 202,
      description: "The accepted request. `GET …/detection/previews/{id}` shows its progress, and then its result.",
      body: Preview,
    },
    failures: ["custom_rule_not_found", "preview_running", "idempotency_conflict"],
  },
  getPreview: {
    method: "GET",
    path: `${PREVIEWS}/{id}`,
    permission: "security:read",
    summary: "Read a preview",
    description: "Returns a preview with its progress, and once it has succeeded with its result; for 7 days.",
    request: { params: idOf("preview", "preview_not_found") },
    success: { status: 200, description: "The preview.", body: Preview },
    failures: ["preview_not_found"],
  },
});
