/** From five weeks' numbers to the review of the last one. Pure. */

import type { Alert } from "../security/alerts/alert.ts";
import { type FindingRule, findingRules } from "../security/alerts/finding.ts";
import type { Counters } from "../security/statistics/counters.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import { DAY_MS } from "../terms/hours.ts";
import { isAtLeast } from "../terms/risk-levels.ts";
import { type CircuitMove, circuitTime, type Hold } from "./circuit-time.ts";
import { firstOf, fitReport } from "./fit-report.ts";
import { type Period, reportId, WEEK_MS } from "./period.ts";
import { recommend } from "./recommendations.ts";
import type { ByLevel } from "./report-fields.ts";
import { countByLevel, isWithin, reportedAlert } from "./reported-alert.ts";
import {
  type Measure,
  measures,
  type ReviewedDay,
  type ReviewedWeek,
  type ReviewReport,
  type RuleCount,
  type Trend,
} from "./review-report.ts";

export type ReviewInput = {
  period: Period;
  /** Epoch ms. */
  createdAt: number;
  /** The first week whose numbers are whole, its Monday in epoch ms; the period's own where there is none before. */
  knownFrom: number;
  /** By the beginning of each day that has events, epoch ms. */
  days: ReadonlyMap<number, Counters>;
  /** HIGH and CRITICAL events that were not processed at the period's end. */
  unprocessedHighRiskEvents: number;
  /** In any order; those of other times are left out. */
  alerts: readonly Alert[];
  /** Those that began in these weeks, in any order. */
  runs: readonly Pick<SyncRun, "status" | "startedAt">[];
  /** Transitions up to the period's end, and the last one before the first week. */
  moves: readonly CircuitMove[];
  hold: Hold | undefined;
};

const REFUSALS = ["AUTHENTICATION_FAILURE", "PERMISSION_DENIED"];

const isFinding = ({ rule }: Pick<Alert, "rule">): boolean => findingRules.some((one) => one === rule);

const dayOf = ({ days }: ReviewInput, from: number): ReviewedDay => {
  const counters = days.get(from) ?? [];
  const sum = (part: (counter: Counters[number]) => number) => counters.reduce((total, one) => total + part(one), 0);
  return {
    from,
    events: sum(({ events }) => events),
    failures: sum(({ failures }) => failures),
    refusals: sum(({ eventType, events }) => (REFUSALS.includes(eventType) ? events : 0)),
  };
};

const startsFrom = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) }, (_, index) => from + index * step);

const weekOf = (input: ReviewInput, from: number): ReviewedWeek => {
  const span = { from, to: from + WEEK_MS };
  const days = startsFrom(from, span.to, DAY_MS).map((day) => dayOf(input, day));
  const sum = (part: (day: ReviewedDay) => number) => days.reduce((total, day) => total + part(day), 0);
  return {
    from,
    events: sum(({ events }) => events),
    failures: sum(({ failures }) => failures),
    refusals: sum(({ refusals }) => refusals),
    alerts: countByLevel(input.alerts.filter(({ firstSeen }) => isWithin(firstSeen, span))),
    syncFailures: input.runs.filter(({ status, startedAt }) => status === "failed" && isWithin(startedAt, span)).length,
    circuit: circuitTime(
      input.moves.filter(({ at }) => at < span.to),
      input.hold,
      span,
    ),
  };
};

const totalOf = (levels: ByLevel): number => Object.values(levels).reduce((sum, count) => sum + count, 0);

const numberOf: Record<Measure, (week: ReviewedWeek) => number> = {
  events: ({ events }) => events,
  failures: ({ failures }) => failures,
  failureRate: ({ events, failures }) => (events === 0 ? 0 : failures / events),
  refusals: ({ refusals }) => refusals,
  alerts: ({ alerts }) => totalOf(alerts),
  syncFailures: ({ syncFailures }) => syncFailures,
  circuitOpenMs: ({ circuit }) => circuit.openMs,
};

const meanOf = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const trendOf = (measure: Measure, week: ReviewedWeek, weeksBefore: readonly ReviewedWeek[]): Trend => {
  const value = numberOf[measure](week);
  const before = meanOf(weeksBefore.map(numberOf[measure]));
  return { measure, value, before, ...(before > 0 && { change: value / before - 1 }) };
};

const ruleCountOf = (rule: FindingRule, { alerts, period }: ReviewInput, weeks: number): RuleCount => {
  const ofRule = alerts.filter((alert) => alert.rule === rule);
  const before = ofRule.filter(
    ({ firstSeen }) => firstSeen < period.from && firstSeen >= period.from - weeks * WEEK_MS,
  );
  return {
    rule,
    alerts: ofRule.filter(({ firstSeen }) => isWithin(firstSeen, period)).length,
    findings: seenIn(ofRule, period).reduce((sum, { count }) => sum + count, 0),
    before: weeks === 0 ? 0 : before.length / weeks,
  };
};

const seenIn = (alerts: readonly Alert[], { from, to }: Period): Alert[] =>
  alerts.filter(({ firstSeen, lastSeen }) => firstSeen < to && lastSeen >= from);

const gravestFirst = (a: Alert, b: Alert): number => {
  if (a.level !== b.level) return isAtLeast(a.level, b.level) ? -1 : 1;
  return b.count - a.count || b.lastSeen - a.lastSeen || (a.id < b.id ? -1 : 1);
};

/** The review of a week; where a list is too long it says how many more there were. */
export const buildReviewReport = (input: ReviewInput): ReviewReport => {
  const { period, createdAt, knownFrom, alerts, unprocessedHighRiskEvents } = input;
  const week = weekOf(input, period.from);
  const weeksBefore = startsFrom(knownFrom, period.from, WEEK_MS).map((from) => weekOf(input, from));
  const findings = seenIn(alerts.filter(isFinding), period).sort(gravestFirst);
  const reviewed = {
    unprocessedHighRiskEvents,
    openAlerts: alerts.filter(({ status, firstSeen }) => status === "open" && firstSeen < period.to).length,
    week,
    trends: measures.map((measure) => trendOf(measure, week, weeksBefore)),
    rules: findingRules.map((rule) => ruleCountOf(rule, input, weeksBefore.length)),
  };
  return fitReport((maxItems) => {
    const shown = firstOf(findings, maxItems);
    return {
      id: reportId(period),
      kind: "review",
      from: period.from,
      to: period.to,
      createdAt,
      ...reviewed,
      weeksBefore,
      days: startsFrom(knownFrom, period.to, DAY_MS).map((day) => dayOf(input, day)),
      findings: shown.shown.map(reportedAlert),
      moreFindings: shown.more,
      recommendations: recommend(reviewed),
    };
  });
};
