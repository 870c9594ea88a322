/** Judges a refused request when it happens, by the organization's settings. */
import type { Finding } from "../security/alerts/finding.ts";
import { createVisibility } from "./evidence/known.ts";
import { settingsOf, withLevel } from "./rule-settings.ts";
import type { RuleSettingsStore } from "./rule-settings-store.ts";
import type { RefusedRequest } from "./rules/rule.ts";
import { refusalRules } from "./rules/rules.ts";

export type JudgeRefusal = (organizationId: string | undefined, refused: RefusedRequest) => Promise<Finding[]>;

/**
 * The findings of a refused request. Settings are read only if there is a finding without them.
 * @throws DomainError `store_unavailable`.
 */
export const createJudgeRefusal =
  (settings: Pick<RuleSettingsStore, "read">): JudgeRefusal =>
  async (organizationId, refused) => {
    const found = refusalRules.flatMap(({ id, judgeRefusal }) => {
      const finding = judgeRefusal(refused);
      return finding === undefined ? [] : [{ id, finding }];
    });
    if (found.length === 0 || organizationId === undefined) return found.map(({ finding }) => finding);
    const all = await settings.read(organizationId);
    return found.flatMap(({ id, finding }) => {
      const { enabled, level, known } = settingsOf(all, id);
      return enabled && createVisibility(known).isVisible(refused) ? [withLevel(finding, level)] : [];
    });
  };
