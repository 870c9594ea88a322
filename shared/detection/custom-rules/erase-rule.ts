/** What the erasure of a user does to an own rule. Pure. docs/erasure.md. */
import type { UserMatcher } from "../../terms/mentions-user.ts";
import { type Decision, ERASED_TEXT, type Item, NO_AUTHOR } from "../../work/location.ts";
import { StoredRule } from "./custom-rule-item.ts";

/**
 * A rule never counts more than before: a list that loses its last value stays as an empty list, which matches nothing, and
 * the rule no longer raises. The revision rises, so that nobody brings the user back with a form that was opened before.
 */
export const ruleWithoutUser = (item: Item, userId: string, { mentions }: UserMatcher): Decision => {
  const { name, filter, mode, revision, createdBy, changedBy, change } = StoredRule.parse(item);
  const userIds = filter.userIds?.filter((id) => id !== userId);
  const isChanged = userIds?.length !== filter.userIds?.length;
  const set = {
    ...(isChanged && {
      filter: { ...filter, userIds },
      mode: userIds?.length === 0 ? "dryRun" : mode,
      revision: revision + 1,
      version: `erased ${revision + 1}`,
    }),
    ...(mentions(name) && { name: ERASED_TEXT }),
    ...(createdBy === userId && { createdBy: NO_AUTHOR }),
    ...(changedBy === userId && { changedBy: NO_AUTHOR }),
  };
  // The event of a change is recorded with the change. It is missing only after a crash, until the next change.
  const remove = mentions(change) ? ["change"] : [];
  return remove.length === 0 && Object.keys(set).length === 0 ? undefined : { remove, set };
};
