/**
 * Own rules by brute force: every window of the definition in docs/rules.md, over all events that a rule has ever counted.
 * It shares no code with the rules, but for hashes.
 */

import type { JudgingRule } from "../../../../shared/detection/custom-rules/judge-custom-rules.ts";
import { userHash } from "../../../../shared/detection/detection.ts";
import type { Fact } from "../../../../shared/detection/evidence/fact.ts";
import { HOUR_MS } from "../../../../shared/terms/hours.ts";

/** A fact under the group that it counts for. */
type Seen = { fact: Fact; group: string };

/** All facts that a rule has counted, by the rule's id. */
export type Memory = ReadonlyMap<string, readonly Seen[]>;

/** `most`: what the largest window amounts to. */
export type Expected = { rule: string; subject: string; most: number };

const MINUTE = 60_000;

const address = (text: string): string => {
  if (!text.includes(":")) return text;
  return text === "2001:db8:0:1::1" ? "2001:db8:0:1::/64" : "2001:db8:0:0::/64";
};

const field = (fact: Fact, name: "userId" | "ipAddress" | "resource" | "resourceType"): string | undefined => {
  const value = fact[name];
  return value !== undefined && name === "ipAddress" ? address(value) : value;
};

const matches = ({ filter }: JudgingRule, fact: Fact): boolean =>
  (filter.success === undefined || filter.success === fact.success) &&
  (filter.eventTypes?.includes(fact.type) ?? true) &&
  (filter.categories?.includes(fact.category) ?? true) &&
  (filter.userIds === undefined || (fact.userId !== undefined && filter.userIds.includes(fact.userId))) &&
  (filter.networks === undefined || fact.ipAddress?.startsWith("2001:db8:") === true);

const amountOf = ({ measure }: JudgingRule, seen: readonly Seen[]): number =>
  measure === "count"
    ? seen.reduce((sum, { fact }) => sum + (fact.failures ?? 1), 0)
    : new Set(seen.map(({ fact }) => field(fact, measure.distinct))).size;

type Input = {
  scope: string;
  hour: number;
  facts: readonly Fact[];
  rules: readonly JudgingRule[];
  memory: Memory;
  /** Since when, and until when the organization was connected. */
  connected: readonly { since: number; until?: number | undefined }[];
  maxGroups: number;
};

export const judgeByBruteForce = (input: Input): { findings: Expected[]; memory: Memory } => {
  const { scope, hour, facts, rules, memory, connected, maxGroups } = input;
  const findings: Expected[] = [];
  const remembered = new Map<string, readonly Seen[]>();
  for (const rule of rules) {
    const { id, groupBy, measure, windowMinutes, condition, changedAt } = rule;
    const begin = Math.floor(changedAt / HOUR_MS) * HOUR_MS;
    if (hour < begin || rule.filter.userIds?.length === 0) continue;
    const before = (memory.get(id) ?? []).filter(({ fact }) => fact.at >= begin);
    const windowMs = windowMinutes * MINUTE;
    const counted = facts.filter(
      (fact) =>
        matches(rule, fact) &&
        (groupBy === undefined || field(fact, groupBy) !== undefined) &&
        (measure === "count" || field(fact, measure.distinct) !== undefined),
    );
    const push = (subject: string, most: number) => findings.push({ rule: `custom_${id}`, subject, most });
    if ("lt" in condition) {
      const now = [...before, ...counted.map((fact) => ({ fact, group: "" }))];
      remembered.set(id, now);
      const end = hour + HOUR_MS;
      const start = end - windowMs;
      const isConnected = (at: number) => connected.some(({ since, until }) => since <= at && (until ?? at) >= at);
      const moments = Array.from({ length: windowMinutes + 1 }, (_, minute) => start + minute * MINUTE);
      if (end % windowMs !== 0 || start < changedAt || !moments.every(isConnected)) continue;
      const amount = amountOf(
        rule,
        now.filter(({ fact }) => fact.at >= start && fact.at < end),
      );
      if (amount < condition.lt) push("organization", amount);
      continue;
    }
    // A window of up to an hour ends at any moment, a longer one at a whole number of five minutes.
    const endOf = (at: number) => (windowMinutes <= 60 ? at : Math.ceil(at / (5 * MINUTE)) * 5 * MINUTE);
    const groupOf = (fact: Fact) => (groupBy === undefined ? "organization" : `${groupBy}:${field(fact, groupBy)}`);
    const isInReach = ({ fact }: Seen) => endOf(fact.at) > endOf(hour) - windowMs;
    const present = Map.groupBy(counted, groupOf);
    const groups = new Set([...present.keys(), ...before.filter(isInReach).map(({ group }) => group)]);
    groups.delete("others");
    const weight = (group: string) =>
      (present.get(group) ?? []).reduce((sum, { failures }) => sum + (failures ?? 1), 0);
    const hash = (group: string) => (groupBy === undefined ? group : userHash(scope, group.slice(groupBy.length + 1)));
    const ranked = [...groups].sort((a, b) => weight(b) - weight(a) || (hash(a) < hash(b) ? -1 : 1));
    const followed = new Set(ranked.slice(0, maxGroups));
    const labelled = (group: string) => (followed.has(group) ? group : "others");
    const now = [...before, ...counted.map((fact) => ({ fact, group: groupOf(fact) }))].map(({ fact, group }) => ({
      fact,
      group: groups.has(group) ? labelled(group) : group,
    }));
    remembered.set(id, now);
    for (const [group, seen] of Map.groupBy(now, (one) => one.group)) {
      const amounts = seen
        .filter(({ fact }) => fact.at >= hour)
        .map(({ fact }) => endOf(fact.at))
        .map((end) =>
          amountOf(
            rule,
            seen.filter((one) => endOf(one.fact.at) <= end && endOf(one.fact.at) > end - windowMs),
          ),
        );
      const most = Math.max(0, ...amounts);
      if (amounts.length > 0 && most >= condition.gte) push(group, most);
    }
  }
  return { findings, memory: remembered };
};
