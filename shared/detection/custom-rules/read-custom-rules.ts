/** Lists own rules, and reads one. docs/rules.md, "Own rules". */
import { organizationKey } from "../../terms/keys.ts";
import { customRuleNotFound } from "./change-custom-rules.ts";
import type { CustomRule } from "./custom-rule.ts";
import { type CustomRuleStore, toView } from "./custom-rule-store.ts";

/** Both throw DomainError `store_unavailable`. */
export const createReadCustomRules = (rules: Pick<CustomRuleStore, "list" | "read">) => ({
  /** A page of the rules, oldest first. They are few, so each page reads all. */
  async list(organizationId: string, { limit, after }: { limit: number; after: { id: string } | undefined }) {
    const all = (await rules.list(organizationKey(organizationId))).map(toView);
    const left = after === undefined ? all : all.filter(({ id }) => id > after.id);
    const items = left.slice(0, limit);
    const last = items.at(-1);
    return { items, next: left.length > limit && last !== undefined ? { id: last.id } : undefined };
  },

  /** @throws DomainError `custom_rule_not_found`. */
  async get(organizationId: string, id: string): Promise<CustomRule> {
    const found = await rules.read(organizationId, id);
    if (found === undefined) throw customRuleNotFound();
    return toView(found);
  },
});
