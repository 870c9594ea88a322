/** Judges a refused request when it happens, by the organization's settings. */
import type { Finding, FindingRule } from "../security/alerts/finding.ts";
import { createVisibility } from "./evidence/known.ts";
import { type RulesSettings, settingsOf, withLevel } from "./rule-settings.ts";
import type { RuleSettingsStore } from "./rule-settings-store.ts";
import type { RefusedRequest } from "./rules/rule.ts";
import { refusalRules } from "./rules/rules.ts";

export type JudgeRefusal = (organizationId: string | undefined, refused: RefusedRequest) => Promise<Finding[]>;

type Found = { id: FindingRule; finding: Finding };

const findAtOnce = (refused: RefusedRequest): Found[] =>
  refusalRules.flatMap(({ id, judgeRefusal }) => {
    const finding = judgeRefusal(refused);
    return finding === undefined ? [] : [{ id, finding }];
  });

const bySettings = (found: readonly Found[], refused: RefusedRequest, settings: RulesSettings): Finding[] =>
  found.flatMap(({ id, finding }) => {
    const { enabled, level, known } = settingsOf(settings, id);
    return enabled && createVisibility(known).isVisible(refused) ? [withLevel(finding, level)] : [];
  });

/** The findings of a refused request by an organization's settings. Pure. */
export const findingsOfRefusal = (refused: RefusedRequest, settings: RulesSettings): Finding[] =>
  bySettings(findAtOnce(refused), refused, settings);

/**
 * The findings of a refused request. Settings are read only if there is a finding without them.
 * @throws DomainError `store_unavailable`.
 */
export const createJudgeRefusal =
  (settings: Pick<RuleSettingsStore, "read">): JudgeRefusal =>
  async (organizationId, refused) => {
    const found = findAtOnce(refused);
    if (found.length === 0 || organizationId === undefined) return found.map(({ finding }) => finding);
    return bySettings(found, refused, await settings.read(organizationId));
  };
