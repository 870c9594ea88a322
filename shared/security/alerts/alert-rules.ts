/** Which rules alerts can have, and which of them a mute may name. Pure. */
import {
  EVENT_RULE,
  INCOMPLETE_RULE,
  MANUAL_RULE,
  MUTED_RULE,
  PAUSED_RULE,
  RULE_OFF_RULE,
  SILENCED_RULE,
} from "./alert.ts";
import { builtInRules } from "./finding.ts";

/** The rules whose alerts say that alarms are off: a mute never acts on them. */
const unmutableRules: readonly string[] = [SILENCED_RULE, PAUSED_RULE, MUTED_RULE, RULE_OFF_RULE, INCOMPLETE_RULE];

/** The other rules. A new rule that `builtInRules` does not list must be added here. */
export const mutableRules: readonly string[] = [EVENT_RULE, MANUAL_RULE, ...builtInRules];

/**
 * What a mute may name: the rules that alerts can have and mutes may act on, and rules of an organization's own, which are
 * `custom_` and an id.
 */
export const MUTABLE_RULE = new RegExp(`^(?:${mutableRules.join("|")}|custom_[0-9a-z]{26})$`);

/** Whether mutes may act on the alerts of a rule. Of an unknown rule, as of a later version, they may. */
export const isMutable = (rule: string): boolean => !unmutableRules.includes(rule);
