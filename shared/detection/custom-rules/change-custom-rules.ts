/** Creates, replaces and deletes own rules. docs/rules.md, "Own rules". */
import { isDeepStrictEqual } from "node:util";
import { definedFields } from "../../json/defined-fields.ts";
import type { Clock } from "../../runtime/clock.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { eventId, identityOf } from "../../security/event-id.ts";
import type { RequestIdentity } from "../../terms/idempotency-key.ts";
import type { UserRequest } from "../../terms/requester.ts";
import {
  type CustomRule,
  type CustomRuleChangeRequest,
  type CustomRuleRequest,
  type Definition,
  MAX_CUSTOM_RULES,
} from "./custom-rule.ts";
import { type RecordRuleChange, ruleChangeOf } from "./custom-rule-events.ts";
import { type StoredRule, toCustomRule } from "./custom-rule-item.ts";
import { type CustomRuleStore, toView } from "./custom-rule-store.ts";

export const customRuleNotFound = () => new DomainError("custom_rule_not_found", "There is no such rule.");

const isOutdated = (revision: number) =>
  new DomainError("custom_rule_changed", `revision: the rule has revision ${revision}. Read it and change it again.`);

/** The definition in a request, without undefined fields. */
const definitionOf = ({
  name,
  level,
  mode,
  filter,
  measure,
  groupBy,
  windowMinutes,
  condition,
  attack,
}: CustomRuleRequest): Definition => ({
  name,
  level,
  mode,
  filter: definedFields(filter),
  measure,
  windowMinutes,
  condition,
  ...definedFields({ groupBy, attack }),
});

/** The names of the fields that differ. */
const changedFields = (before: StoredRule, after: Definition): string[] => {
  const names = [
    "name",
    "level",
    "mode",
    "filter",
    "measure",
    "groupBy",
    "windowMinutes",
    "condition",
    "attack",
  ] as const;
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
};

type Dependencies = {
  rules: CustomRuleStore;
  recordChange: RecordRuleChange;
  now: Clock;
  /** A unique text. */
  newToken: () => string;
};

/** The returned function throws DomainError `too_many_custom_rules` and `store_unavailable`. */
export const createCreateCustomRule =
  ({ rules, recordChange, newToken }: Omit<Dependencies, "now">) =>
  async (request: CustomRuleRequest, by: UserRequest & { identity: RequestIdentity }): Promise<CustomRule> => {
    const { organizationId, userId } = by.caller;
    const { id: requestId, at } = by.identity;
    // In lower case, because the names of rules in destinations and mutes are.
    const id = eventId(at, identityOf("custom_rule", organizationId, requestId)).toLowerCase();
    const definition = definitionOf(request);
    const change = ruleChangeOf({ ...definition, id }, by, { action: "create_custom_rule", revision: 1, at });
    const created: StoredRule = {
      id,
      ...definition,
      revision: 1,
      createdAt: at,
      createdBy: userId,
      changedAt: at,
      changedBy: userId,
      version: newToken(),
      change,
    };
    const result = await rules.create(organizationId, created);
    // An earlier attempt of the same request has created the rule.
    const stored = result === "exists" ? (await rules.read(organizationId, id))?.rule : created;
    if (result === "too_many" || stored === undefined) {
      throw new DomainError(
        "too_many_custom_rules",
        `The organization has ${MAX_CUSTOM_RULES} own rules already. Delete one first.`,
      );
    }
    await recordChange(organizationId, stored.change);
    return toCustomRule(stored, undefined);
  };

/**
 * The returned function replaces a rule; the same definition again changes nothing and leaves no event. It throws
 * DomainError `custom_rule_not_found`, `custom_rule_changed` and `store_unavailable`.
 */
export const createChangeCustomRule =
  ({ rules, recordChange, now, newToken }: Dependencies) =>
  async (id: string, { revision, ...request }: CustomRuleChangeRequest, by: UserRequest): Promise<CustomRule> => {
    const { organizationId, userId } = by.caller;
    const stored = await rules.read(organizationId, id);
    if (stored === undefined) throw customRuleNotFound();
    const before = stored.rule;
    await recordChange(organizationId, before.change);
    if (before.revision !== revision) throw isOutdated(before.revision);
    const definition = definitionOf(request);
    const fields = changedFields(before, definition);
    if (fields.length === 0) return toView(stored);
    const at = now();
    const after: StoredRule = {
      id,
      ...definition,
      revision: revision + 1,
      createdAt: before.createdAt,
      createdBy: before.createdBy,
      changedAt: at,
      changedBy: userId,
      version: newToken(),
      change: ruleChangeOf({ ...definition, id }, by, {
        action: "change_custom_rule",
        revision: revision + 1,
        at,
        fields,
      }),
    };
    if (!(await rules.replace(organizationId, after, before.version))) {
      const changed = await rules.read(organizationId, id);
      throw changed === undefined ? customRuleNotFound() : isOutdated(changed.rule.revision);
    }
    await recordChange(organizationId, after.change);
    return toCustomRule(after, undefined);
  };

/** The returned function throws DomainError `custom_rule_not_found` and `store_unavailable`. */
export const createDeleteCustomRule =
  ({ rules, recordChange, now }: Omit<Dependencies, "newToken">) =>
  async (id: string, by: UserRequest): Promise<void> => {
    const { organizationId } = by.caller;
    for (const deletion of await rules.listDeletions(organizationId)) await recordChange(organizationId, deletion);
    const stored = await rules.read(organizationId, id);
    if (stored === undefined) throw customRuleNotFound();
    const { rule } = stored;
    await recordChange(organizationId, rule.change);
    const { revision } = rule;
    const change = ruleChangeOf(rule, by, { action: "delete_custom_rule", revision, at: now() });
    if (!(await rules.delete(organizationId, id, change))) throw customRuleNotFound();
    await recordChange(organizationId, change);
  };
