/**
 * What 20 own rules add to the CPU of judging an hour of 10,000 events: decoding the items, facts and the built-in rules
 * without own rules, and the same with 20 that match a quarter to all of the events. Both in turn, in this process.
 */
import {
  type CustomRulesInput,
  type JudgingRule,
  judgeCustomRules,
} from "../../../shared/detection/custom-rules/judge-custom-rules.ts";
import { baselineOf } from "../../../shared/detection/evidence/baseline.ts";
import { type Fact, factOf, inOrder } from "../../../shared/detection/evidence/fact.ts";
import { judgeHour } from "../../../shared/detection/rules/rules.ts";
import { fromItem, toItem } from "../../../shared/security/event-item.ts";
import { HOUR_MS } from "../../../shared/terms/hours.ts";
import { createEvents } from "../../detection/events.ts";
import { createRandom } from "../../support/random.ts";
import { type Budget, judgedRow, type Measurement, plainRow, round } from "../row.ts";
import { median } from "../statistics.ts";

const EVENTS = 10_000;
const ROUNDS = 40;
const RATIO: Budget = { limit: 1.3 };

const START = Date.UTC(2026, 10, 21, 10);
const hour = { start: START, end: START + HOUR_MS };
const SCOPE = "org#acme";

/** Calls, refusals and operations of 300 users from 500 addresses, as the store has them. */
export const itemsOf = (random: () => number, from: number, organizationId = "acme") => {
  const made = createEvents(organizationId);
  const permissions = ["security:read", "sync:run", "records:read"];
  return Array.from({ length: EVENTS }, (_, index) => {
    const at = from + Math.floor((index * HOUR_MS) / EVENTS);
    const one = Math.floor(random() * 500);
    const who = { user: `user-${one % 300}`, address: `192.0.${one % 7}.${one % 250}` };
    const kind = random();
    const event =
      kind < 0.5
        ? made.call(at, who)
        : kind < 0.75
          ? made.denial(at, who, permissions[one % 3] ?? "sync:run")
          : made.operation(at);
    return toItem(event, 2_000_000_000);
  });
};

type Counted = Pick<JudgingRule, "filter" | "windowMinutes" | "condition"> & Partial<JudgingRule>;

/** Counts and distinct values, grouped and not, short and long windows, thresholds that are reached and that are not. */
export const twentyRules = (): JudgingRule[] => {
  const shapes: Counted[] = [
    { filter: { eventTypes: ["PERMISSION_DENIED"] }, groupBy: "userId", windowMinutes: 60, condition: { gte: 50 } },
    { filter: { success: false }, windowMinutes: 10, condition: { gte: 10_000 } },
    { filter: { categories: ["data_access"] }, groupBy: "ipAddress", windowMinutes: 1_440, condition: { gte: 2_000 } },
    { filter: { sources: ["user"] }, measure: { distinct: "ipAddress" }, windowMinutes: 60, condition: { gte: 500 } },
    { filter: { networks: ["192.0.0.0/22"] }, groupBy: "userId", windowMinutes: 5, condition: { gte: 100 } },
  ];
  return Array.from({ length: 20 }, (_, index) => ({
    id: `rule-${index}`,
    name: `Rule ${index}`,
    level: "MEDIUM",
    mode: "live",
    measure: "count",
    revision: 1,
    changedAt: 0,
    ...(shapes[index % shapes.length] ?? { filter: {}, windowMinutes: 60, condition: { gte: 1 } }),
  }));
};

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

export const measureOwnRules = (rounds: number) => {
  const random = createRandom(7);
  const rules = twentyRules();
  const own = (facts: readonly Fact[], carried: CustomRulesInput["carried"], of = hour) =>
    judgeCustomRules({ scope: SCOPE, hour: of, facts, rules, carried, connected: [{ since: 0 }] });
  const before = { start: hour.start - HOUR_MS, end: hour.start };
  const earlier = inOrder(itemsOf(random, before.start).map((item) => factOf(fromItem(item))));
  const { carried } = own(earlier, new Map(), before);
  const items = itemsOf(random, hour.start);
  const baseline = baselineOf(undefined, hour.start);
  const withoutRules = (): Fact[] => {
    const facts = inOrder(items.map((item) => factOf(fromItem(item))));
    const others = { runs: [], runBaseline: baseline, connection: undefined };
    judgeHour({ hour, facts, carried: [], baseline, baselineOfUser: () => baseline, isKnown: () => true, ...others });
    return facts;
  };
  const none: number[] = [];
  const twenty: number[] = [];
  for (let i = 0; i < rounds; i++) {
    none.push(cpuMs(withoutRules));
    twenty.push(cpuMs(() => own(withoutRules(), carried)));
  }
  return { none: median(none), twenty: median(twenty), ratio: median(twenty) / median(none) };
};

export const measurement: Measurement = {
  title: "Own rules",
  measure: async ({ options }) => {
    const { none, twenty, ratio } = measureOwnRules(options.quick ? 10 : ROUNDS);
    return [
      plainRow("CPU of an hour of 10,000 events", `${round(none)} ms`),
      plainRow("  with 20 own rules", `${round(twenty)} ms`),
      judgedRow("  the ratio", ratio, RATIO, { unit: "×" }),
    ];
  },
};
