/** The settings of rules in a deployed function. Each function throws Error if the environment lacks a variable. */

import { createChangeRule } from "../detection/change-rule.ts";
import { createRuleSettingsStore } from "../detection/rule-settings-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { openTable } from "../runtime/open-table.ts";
import { wireRecorder } from "./recorder.ts";
import { wireResolveCause } from "./security.ts";

export const wireRuleSettings = () => createRuleSettingsStore(openTable("settings"));

/** PUT …/detection/rules/{rule}. */
export const wireChangeRule = () =>
  createChangeRule({
    store: wireRuleSettings(),
    recorder: wireRecorder(),
    resolve: wireResolveCause(),
    now: systemClock,
  });
