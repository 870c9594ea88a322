/** The own rules of deployed functions. All throw Error at cold start if the environment lacks a variable. */
import {
  createChangeCustomRule,
  createCreateCustomRule,
  createDeleteCustomRule,
} from "../detection/custom-rules/change-custom-rules.ts";
import { createRuleChangeRecorder } from "../detection/custom-rules/custom-rule-events.ts";
import { createCustomRuleStore } from "../detection/custom-rules/custom-rule-store.ts";
import { createReadCustomRules } from "../detection/custom-rules/read-custom-rules.ts";
import { systemClock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { wireRecorder } from "./recorder.ts";

const wireCustomRuleStore = () => createCustomRuleStore(openTable("detection"));

const wireChanging = () => {
  const rules = wireCustomRuleStore();
  const recordChange = createRuleChangeRecorder({ recorder: wireRecorder(), rules });
  return { rules, recordChange, now: systemClock, newToken: newRequestToken };
};

export const wireCreateCustomRule = () => createCreateCustomRule(wireChanging());

export const wireChangeCustomRule = () => createChangeCustomRule(wireChanging());

export const wireDeleteCustomRule = () => createDeleteCustomRule(wireChanging());

export const wireReadCustomRules = () => createReadCustomRules(wireCustomRuleStore());
