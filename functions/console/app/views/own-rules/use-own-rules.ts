/** The organization's own rules of detection, at most 20. */
import { useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { CustomRule, CustomRuleChangeRequest } from "../../api/types.ts";
import { OWN_RULE, ruleName } from "../alerts/words.ts";

export const API = "/api/integrations/provider/detection/custom-rules";
const EVERY_MS = 60_000;

export const useOwnRules = (): Resource<readonly CustomRule[]> =>
  useResource("own rules", (signal) => answer(api.GET(API, { signal })), { everyMs: EVERY_MS });

export const putOwnRule = (id: string, body: CustomRuleChangeRequest): Promise<CustomRule> =>
  answer(api.PUT(`${API}/{id}`, { params: { path: { id } }, body }));

/** Own rules that alerts can have, with their names; none for users who may not see rules, and until they are read. */
export const useOwnRuleOptions = (): readonly (readonly [rule: string, name: string])[] => {
  const maySee = useMay("security:read");
  const rules = useResource<readonly CustomRule[]>(maySee ? "own rules" : "no own rules", async (signal) =>
    maySee ? answer(api.GET(API, { signal })) : [],
  );
  return (rules.value ?? []).map(({ id, name }) => [`${OWN_RULE}${id}`, name] as const);
};

/** Names rules of alerts, own ones too. */
export const useRuleName = (): ((rule: string) => string) => {
  const own = new Map(useOwnRuleOptions());
  return (rule) => own.get(rule) ?? ruleName(rule);
};
