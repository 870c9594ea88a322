import { type Fact, factOf, isTimedOperation } from "../../shared/detection/evidence/fact.ts";
import { type Latency, noLatency, withOperation } from "../../shared/detection/evidence/latency.ts";
import type { Rule } from "../../shared/detection/rules/rule.ts";
import { hourlyRules, judgeHour, latencyRule } from "../../shared/detection/rules/rules.ts";
import { type MoneyEvent, timeOf } from "../../shared/money/money.ts";
import type { Finding, FindingRule } from "../../shared/security/alerts/finding.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { startOfHour } from "../../shared/terms/hours.ts";
import { HOUR } from "./events.ts";
import { createMoneyReplay } from "./replay-money.ts";
import { createReplayState } from "./replay-state.ts";

/** Findings of an hour; `hour` is its start in epoch ms. */
export type ReplayedHour = { hour: number; events: number; findings: Finding[] };

export type ReplayOptions = {
  /** One rule; without it all of them. */
  rule?: FindingRule;
  syncIntervalMs?: number;
  /** Judges events again that were judged at once. */
  ignoreMarks?: boolean;
};

/** Replays one organization's events hour by hour, as detection would judge them hourly and at once. */
export const createReplay = ({ rule, syncIntervalMs = HOUR, ignoreMarks = false }: ReplayOptions = {}) => {
  const state = createReplayState(syncIntervalMs);
  const rules: readonly Rule[] = hourlyRules.filter(({ id }) => rule === undefined || id === rule);
  const watchesLatency = rule === undefined || rule === latencyRule.id;
  const replayMoney = createMoneyReplay();
  let carried: readonly Fact[] = [];
  let latency: Latency = noLatency;

  const unmarked = ({ judgedAtOnce, ...fact }: Fact): Fact =>
    ignoreMarks || judgedAtOnce === undefined ? fact : { ...fact, judgedAtOnce };

  const judgeOperations = (facts: readonly Fact[]): Finding[] => {
    const byOccurrence = new Map<string, Finding>();
    for (const fact of watchesLatency ? facts.filter(isTimedOperation) : []) {
      latency = withOperation(latency, fact);
      const finding = latencyRule.judgeOperations(latency);
      if (finding !== undefined && !byOccurrence.has(finding.occurrence)) byOccurrence.set(finding.occurrence, finding);
    }
    return [...byOccurrence.values()];
  };

  return {
    /** Judges the next hour. @param events its own, in any order, perhaps repeated. @param money its counted events. */
    judge(hour: number, events: readonly SecurityEvent[], money: readonly MoneyEvent[] = []): ReplayedHour {
      const once = [...new Map(events.map((event) => [event.id, event])).values()];
      const inOrder = once.sort((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1));
      const facts = inOrder.map((event) => unmarked(factOf(event)));
      const known = state.begin(hour, inOrder);
      const byId = new Map(facts.map((fact) => [fact.id, fact]));
      // In their original order, with repetitions: the judging must not depend on either.
      const asTheyCame = events.flatMap(({ id }) => byId.get(id) ?? []);
      const judged = judgeHour({ ...known, facts: asTheyCame, carried }, rules);
      carried = judged.carried;
      state.end(hour, facts);
      const ofMoney = replayMoney(hour, money).filter((finding) => rule === undefined || finding.rule === rule);
      return { hour, events: facts.length, findings: [...judged.findings, ...judgeOperations(facts), ...ofMoney] };
    },
    isIdle: () => state.isIdle(),
  };
};

/** Replays all hours with anything to judge, up to `end` (epoch ms). @param money the counted events. */
export const replay = (
  events: readonly SecurityEvent[],
  { end, ...options }: ReplayOptions & { end?: number } = {},
  money: readonly MoneyEvent[] = [],
): ReplayedHour[] => {
  const moneyByHour = Map.groupBy(money, (event) => startOfHour(timeOf(event)));
  const byHour = new Map<number, SecurityEvent[]>();
  for (const event of events) {
    const hour = startOfHour(event.timestamp);
    const others = byHour.get(hour);
    if (others === undefined) byHour.set(hour, [event]);
    else others.push(event);
  }
  const hours = [...byHour.keys(), ...moneyByHour.keys()].sort((a, b) => a - b);
  const [first] = hours;
  const last = end === undefined ? hours.at(-1) : startOfHour(end - 1);
  if (first === undefined || last === undefined) return [];
  const replayed: ReplayedHour[] = [];
  const organization = createReplay(options);
  for (let hour = first; hour <= last; hour += HOUR) {
    const own = byHour.get(hour);
    const ofMoney = moneyByHour.get(hour);
    if (own !== undefined || ofMoney !== undefined || !organization.isIdle())
      replayed.push(organization.judge(hour, own ?? [], ofMoney));
  }
  return replayed;
};
