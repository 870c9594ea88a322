/** The recommendations of a review. Each names the observation that suggests it. Pure. */
import { adviceByRule } from "../detection/rules/rules.ts";
import { HOUR_MS, MINUTE_MS } from "../terms/hours.ts";
import { isAtLeast } from "../terms/risk-levels.ts";
import type { Recommendation, ReviewReport } from "./review-report.ts";

export type RecommendationInput = Pick<
  ReviewReport,
  "unprocessedHighRiskEvents" | "openAlerts" | "week" | "weeksBefore" | "trends" | "rules"
>;

const HIGH_FAILURE_RATE = 0.1;
const RISE = 0.5;
const FEW = 10;
const LONG_OPEN_MS = HOUR_MS;

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** Ends a sentence about a number of the week. */
const perWeekBefore = (before: number, { weeksBefore }: RecommendationInput): string => {
  if (weeksBefore.length === 0) return "";
  return before === 0 ? ", none in the weeks before" : `, ${before.toFixed(1)} a week before`;
};

const aboutRules = (input: RecommendationInput): Recommendation[] =>
  input.rules
    .filter(({ alerts }) => alerts > 0)
    .map(({ rule, alerts, before }) => ({
      level: adviceByRule[rule].level,
      action: adviceByRule[rule].action,
      because: `${plural(alerts, "alert", "alerts")} of the rule ${rule.replaceAll("_", " ")} this week${perWeekBefore(before, input)}.`,
    }));

const aboutWork = ({ unprocessedHighRiskEvents, openAlerts }: RecommendationInput): (Recommendation | false)[] => [
  unprocessedHighRiskEvents > 0 && {
    level: "HIGH",
    action: "Look at the unprocessed high-risk events, and mark them as processed.",
    because: `${plural(unprocessedHighRiskEvents, "event was", "events were")} unprocessed at the week's end.`,
  },
  openAlerts > 0 && {
    level: "HIGH",
    action: "Acknowledge or resolve the open alerts: an alert that repeats stays silent while it is open.",
    because: `${plural(openAlerts, "alert was", "alerts were")} open when this review was made.`,
  },
];

const aboutWeek = (input: RecommendationInput): (Recommendation | false)[] => {
  const { week, trends } = input;
  const refusals = trends.find(({ measure }) => measure === "refusals");
  const failureRate = week.events === 0 ? 0 : week.failures / week.events;
  const { circuit, syncFailures } = week;
  return [
    refusals !== undefined &&
      refusals.value >= FEW &&
      (refusals.change ?? Number.POSITIVE_INFINITY) >= RISE && {
        level: "MEDIUM",
        action:
          "Find out who is refused, and why: an expired token, a changed role, or somebody who tries the API out.",
        because: `${refusals.value} refusals this week${perWeekBefore(refusals.before, input)}.`,
      },
    failureRate >= HIGH_FAILURE_RATE &&
      week.failures >= FEW && {
        level: "MEDIUM",
        action: "Find the event type that fails most often, and mend its cause first.",
        because: `${Math.round(failureRate * 100)} % of the week's events failed.`,
      },
    circuit.forcedOpenMs >= LONG_OPEN_MS && {
      level: "MEDIUM",
      action:
        "Decide whether the circuit breaker must stay open. If not, reset it: nothing syncs while it is held open.",
      because: `An operator held it open for ${Math.round(circuit.forcedOpenMs / MINUTE_MS)} minutes.`,
    },
    (circuit.openMs - circuit.forcedOpenMs > 0 || syncFailures > 0) && {
      level: "LOW",
      action: "Find out why sync runs failed, and whether the provider had an outage.",
      because: `${plural(syncFailures, "sync run", "sync runs")} failed, and the circuit breaker opened ${plural(circuit.openings, "time", "times")}.`,
    },
  ];
};

/** The gravest first; empty if nothing suggests a recommendation. */
export const recommend = (input: RecommendationInput): Recommendation[] =>
  [...aboutWork(input), ...aboutRules(input), ...aboutWeek(input)]
    .filter((recommendation) => recommendation !== false)
    .sort((a, b) => (a.level === b.level ? 0 : isAtLeast(a.level, b.level) ? -1 : 1));
