/**
 * The service itself fails: its store or its bus.
 *
 * Reads: failed events whose error code means that the store or the bus did not answer, or that the service failed. Most
 *   failures are found when they happen, with the same threshold, and marked; the hour finds those recorded unmarked.
 * Group: `system`. Threshold, window: 3 failures in 5 min. Deduplication: one finding per hour.
 * Severity: HIGH.
 * Reason: retries make up for one failure; three within minutes are an outage, which must be distinguished from one of
 *   the provider (https://sre.google/sre-book/monitoring-distributed-systems/).
 */
import type { FailingPart } from "../../runtime/note-failure.ts";
import type { Finding } from "../../security/alerts/finding.ts";
import { catalogueEntry, type ErrorName } from "../../terms/error-catalogue.ts";
import { hourName, MINUTE_MS } from "../../terms/hours.ts";
import type { Fact } from "../evidence/fact.ts";
import { factsIn, heavyWindows, recent, windowsEndingIn } from "../evidence/windows.ts";
import { type Advice, findingOfHour, listed, type Rule, type ServiceFailure } from "./rule.ts";
import { minutes, type ThresholdValues, valuesOf } from "./thresholds.ts";

const rule = "system_errors";

const thresholds = {
  failures: { default: 3, min: 2, max: 50, unit: "failures" },
  windowMinutes: minutes(5, 1),
} as const;

const limitsOf = (set: ThresholdValues | undefined) => {
  const { failures, windowMinutes } = valuesOf(thresholds, set);
  return { threshold: failures, windowMs: windowMinutes * MINUTE_MS };
};

const kinds = {
  system: { subject: "system", title: "The store or the event bus keeps failing", level: "HIGH" },
} as const;

const systemCodes = (): Set<string> => {
  const names: readonly ErrorName[] = ["store_unavailable", "internal"];
  return new Set(["system", ...names, ...names.map((name) => String(catalogueEntry(name).number))]);
};

const failuresIn = (facts: readonly Fact[]): Fact[] => {
  const codes = systemCodes();
  return facts.filter(
    ({ success, errorCode, judgedAtOnce }) =>
      !success && judgedAtOnce !== true && errorCode !== undefined && codes.has(errorCode),
  );
};

export const systemErrorsAdvice: Advice = {
  level: "MEDIUM",
  action: "Ask the service's operators about failures of its store or its event bus.",
};

const needs = (set?: ThresholdValues) => ({ failureWindowMs: limitsOf(set).windowMs });

const judgeFailures = (failures: readonly ServiceFailure[], set?: ThresholdValues): Finding | undefined => {
  const limits = limitsOf(set);
  const [first] = failures;
  const last = failures.at(-1);
  if (first === undefined || last === undefined || failures.length < limits.threshold) return undefined;
  const count = (part: FailingPart) => failures.filter((one) => one.part === part).length;
  return {
    rule,
    ...kinds.system,
    // The same as for the hourly finding, so that both count once an hour.
    occurrence: hourName(last.at),
    eventIds: [],
    evidence: { count: failures.length, store: count("store"), bus: count("bus"), ...limits },
    firstSeen: first.at,
    lastSeen: last.at,
  };
};

/** The part that judges at once; functions that need no more bundle no more. */
export const systemFailures = { id: rule, thresholds, needs, judgeFailures } satisfies Partial<Rule>;

export const systemErrors = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  needs,
  carries: ({ facts, hour }, set) => recent(failuresIn(facts), hour, limitsOf(set).windowMs),
  judge: ({ facts, hour }, set) => {
    const limits = limitsOf(set);
    const evidence = factsIn(windowsEndingIn(heavyWindows(failuresIn(facts), limits), hour));
    if (evidence.length === 0) return [];
    const actions = listed(evidence.map(({ action }) => action));
    return [
      findingOfHour(hour, evidence, {
        rule,
        kind: kinds.system,
        evidence: { count: evidence.length, actions, ...limits },
      }),
    ];
  },
  judgeFailures,
} satisfies Rule;
