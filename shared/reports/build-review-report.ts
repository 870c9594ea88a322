/** Builds the security review of a week. Pure. */
import type { Alert } from "../security/alerts/alert.ts";
import { type BuiltInRule, builtInRules, isCustomRule } from "../security/alerts/finding.ts";
import type { Counters } from "../security/statistics/counters.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import { DAY_MS } from "../terms/hours.ts";
import { isAtLeast } from "../terms/risk-levels.ts";
import { countByCause, countByLevel, firstOf, fitReport, isWithin, reportedAlert, sumOf } from "./build-report.ts";
import { type CircuitTransition, circuitTime, type Hold } from "./circuit-time.ts";
import { type Period, reportId, WEEK_MS } from "./period.ts";
import { recommend } from "./recommendations.ts";
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
  /**
   * The Monday of the first week that the organization existed in and that is stored completely, epoch ms; the period's own
   * if there is no such week before.
   */
  knownFrom: number;
  /** By the beginning of each day with events, epoch ms. */
  days: ReadonlyMap<number, Counters>;
  /** HIGH and CRITICAL events that were unprocessed at the period's end. */
  unprocessedHighRiskEvents: number;
  /** In any order; those of other times are left out. */
  alerts: readonly Alert[];
  /** Those that began in these weeks, in any order. */
  runs: readonly Pick<SyncRun, "status" | "startedAt">[];
  /** Transitions up to the period's end, and the last one before the first week. */
  transitions: readonly CircuitTransition[];
  hold: Hold | undefined;
};

const REFUSALS = ["AUTHENTICATION_FAILURE", "PERMISSION_DENIED"];

const isFinding = ({ rule }: Pick<Alert, "rule">): boolean =>
  isCustomRule(rule) || builtInRules.some((one) => one === rule);

export const dayOf = ({ days }: Pick<ReviewInput, "days">, from: number): ReviewedDay => {
  const counters = days.get(from) ?? [];
  return {
    from,
    events: sumOf(counters, ({ events }) => events),
    failures: sumOf(counters, ({ failures }) => failures),
    refusals: sumOf(counters, ({ eventType, events }) => (REFUSALS.includes(eventType) ? events : 0)),
  };
};

/** The beginnings of the days or weeks from one time to another. */
export const startsOf = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) }, (_, index) => from + index * step);

const weekOf = (input: ReviewInput, from: number): ReviewedWeek => {
  const span = { from, to: from + WEEK_MS };
  const days = startsOf(from, span.to, DAY_MS).map((day) => dayOf(input, day));
  return {
    from,
    events: sumOf(days, ({ events }) => events),
    failures: sumOf(days, ({ failures }) => failures),
    refusals: sumOf(days, ({ refusals }) => refusals),
    alerts: countByLevel(input.alerts.filter(({ firstSeen }) => isWithin(firstSeen, span))),
    syncFailures: input.runs.filter(({ status, startedAt }) => status === "failed" && isWithin(startedAt, span)).length,
    circuit: circuitTime(
      input.transitions.filter(({ at }) => at < span.to),
      input.hold,
      span,
    ),
  };
};

const numberOf: Record<Measure, (week: ReviewedWeek) => number> = {
  events: ({ events }) => events,
  failures: ({ failures }) => failures,
  failureRate: ({ events, failures }) => (events === 0 ? 0 : failures / events),
  refusals: ({ refusals }) => refusals,
  alerts: ({ alerts }) => sumOf(Object.values(alerts), (count) => count),
  syncFailures: ({ syncFailures }) => syncFailures,
  circuitOpenMs: ({ circuit }) => circuit.openMs,
};

const trendOf = (measure: Measure, week: ReviewedWeek, weeksBefore: readonly ReviewedWeek[]): Trend => {
  const value = numberOf[measure](week);
  const before = weeksBefore.length === 0 ? 0 : sumOf(weeksBefore, numberOf[measure]) / weeksBefore.length;
  return { measure, value, before, ...(before > 0 && { change: value / before - 1 }) };
};

const ruleCountOf = (rule: BuiltInRule, { alerts, period }: ReviewInput, weeks: number): RuleCount => {
  const ofRule = alerts.filter((alert) => alert.rule === rule);
  const before = ofRule.filter(
    ({ firstSeen }) => firstSeen < period.from && firstSeen >= period.from - weeks * WEEK_MS,
  );
  return {
    rule,
    alerts: ofRule.filter(({ firstSeen }) => isWithin(firstSeen, period)).length,
    findings: sumOf(seenIn(ofRule, period), ({ count }) => count),
    before: weeks === 0 ? 0 : before.length / weeks,
  };
};

const seenIn = (alerts: readonly Alert[], { from, to }: Period): Alert[] =>
  alerts.filter(({ firstSeen, lastSeen }) => firstSeen < to && lastSeen >= from);

const gravestFirst = (a: Alert, b: Alert): number => {
  if (a.level !== b.level) return isAtLeast(a.level, b.level) ? -1 : 1;
  return b.count - a.count || b.lastSeen - a.lastSeen || (a.id < b.id ? -1 : 1);
};

export const buildReviewReport = (input: ReviewInput): ReviewReport => {
  const { period, createdAt, knownFrom, alerts, unprocessedHighRiskEvents } = input;
  const week = weekOf(input, period.from);
  const weeksBefore = startsOf(knownFrom, period.from, WEEK_MS).map((from) => weekOf(input, from));
  const findings = seenIn(alerts.filter(isFinding), period).sort(gravestFirst);
  const reviewed = {
    unprocessedHighRiskEvents,
    openAlerts: alerts.filter(({ status, firstSeen }) => status === "open" && firstSeen < period.to).length,
    resolvedByCause: countByCause(alerts, period),
    week,
    weeksBefore,
    trends: measures.map((measure) => trendOf(measure, week, weeksBefore)),
    rules: builtInRules.map((rule) => ruleCountOf(rule, input, weeksBefore.length)),
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
      days: startsOf(knownFrom, period.to, DAY_MS).map((day) => dayOf(input, day)),
      findings: shown.shown.map(reportedAlert),
      moreFindings: shown.more,
      recommendations: recommend(reviewed),
    };
  });
};
