/**
 * What an erasure does to the settings of rules: they stay, and lose known users and the author of the last change. A rule
 * then sees more than before, never less.
 */
import { type DataLocation, type ErasedAuthors, NO_AUTHOR, singleLocation } from "../work/location.ts";
import type { RecordRuleChange } from "./change-rule.ts";
import type { RulesSettings } from "./rule-settings.ts";
import type { RuleSettingsStore, StoredRules } from "./rule-settings-store.ts";

export type RuleDependencies = {
  rules: Pick<RuleSettingsStore, "readStored" | "replace">;
  recordRuleChange: RecordRuleChange;
};

type IsErased = ErasedAuthors["isErased"];

/** The rules that lose a user have a new revision, so that nobody puts the user back by a form that was open before. */
const withoutUsers = (rules: RulesSettings, isErased: IsErased): RulesSettings =>
  Object.fromEntries(
    Object.entries(rules).map(([rule, settings]) => {
      const users = settings.known.users.filter((user) => !isErased(user));
      if (users.length === settings.known.users.length) return [rule, settings];
      return [rule, { ...settings, known: { ...settings.known, users }, revision: settings.revision + 1 }];
    }),
  );

const hasErased = ({ rules, author, change }: StoredRules, isErased: IsErased): boolean => {
  const settings = [...Object.values(rules), ...(change === undefined ? [] : [change.before, change.after])];
  const people = [author?.changedBy ?? NO_AUTHOR, change?.userId ?? NO_AUTHOR].filter((one) => one !== NO_AUTHOR);
  return [...people, ...settings.flatMap(({ known }) => known.users)].some(isErased);
};

/** An unrecorded change is recorded as an event first, because audits expect it. The later sweep of the events cleans it. */
export const ruleSettings = (
  { rules, recordRuleChange }: RuleDependencies,
  organizationId: string,
  { isErased }: ErasedAuthors,
): DataLocation =>
  singleLocation("ruleSettings", async () => {
    const stored = await rules.readStored(organizationId);
    const { version, author, change } = stored;
    if (version === undefined || author === undefined || !hasErased(stored, isErased)) return undefined;
    return async () => {
      if (change !== undefined) await recordRuleChange(organizationId, version, change);
      const { changedAt, changedBy } = author;
      await rules.replace(organizationId, withoutUsers(stored.rules, isErased), {
        version,
        author: { changedAt, changedBy: isErased(changedBy) ? NO_AUTHOR : changedBy },
      });
    };
  });
