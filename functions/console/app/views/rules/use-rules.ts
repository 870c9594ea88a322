import { answer, api } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { DetectionRule, DetectionRuleRequest } from "../../api/types.ts";
import { addressBelow } from "../../words/address.ts";
import { RULES_PATH } from "./rules-path.ts";

export const ruleAddress = (rule: string): string => addressBelow(RULES_PATH, rule);

/** The built-in rules; null if the user may not see them. Another user may change them. */
export const useRules = (maySee: boolean, everyMs: number): Resource<readonly DetectionRule[] | null> =>
  useResource(
    maySee ? "detection rules" : "no detection rules",
    async (signal) => (maySee ? answer(api.GET("/api/integrations/provider/detection/rules", { signal })) : null),
    maySee ? { everyMs } : {},
  );

export const putRule = (rule: string, body: DetectionRuleRequest): Promise<DetectionRule> =>
  answer(api.PUT("/api/integrations/provider/detection/rules/{rule}", { params: { path: { rule } }, body }));
