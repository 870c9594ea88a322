/**
 * Far more sync runs than usual are requested, by users or by gaps in the provider's webhooks.
 *
 * Reads: the runs, because the log level may exclude their events; the events are the evidence if there are any.
 * Groups: the organization, per trigger: `trigger:manual`, `trigger:webhook_gap`. Scheduled runs, and the first run of a
 *   connection, are expected.
 * Threshold, window: 10 runs that started in 60 min whose Poisson tail is below 1e-6 against 28 days (surprise.ts).
 * Deduplication: one finding per trigger and hour.
 * Severity: MEDIUM: runs of one organization never overlap, so a burst costs requests and hides nothing.
 * Reason: a client's loop, abuse of the provider's limits, or a webhook that keeps failing
 *   (https://owasp.org/API-Security/editions/2023/en/0xa6-unrestricted-access-to-sensitive-business-flows/). Ten, because
 *   a waiting user may press the button every ten minutes.
 */
import { HOUR_MS } from "../../terms/hours.ts";
import type { Fact } from "../evidence/fact.ts";
import { roundExpected, surpriseOf } from "../evidence/surprise.ts";
import { type RunFact, requestedTriggers } from "../evidence/syncing.ts";
import { isIn, recent } from "../evidence/windows.ts";
import { type Advice, findingOfHour, listed, type Rule, type RuleInput } from "./rule.ts";
import { improbability, type ThresholdValues, valuesOf } from "./thresholds.ts";

const rule = "abnormal_sync_frequency";

const WINDOW_MS = HOUR_MS;

const thresholds = { runs: { default: 10, min: 5, max: 1_000, unit: "runs" }, improbability } as const;

/** The prior: two runs an hour, worth two hours. */
const PRIOR = { calls: 4, hours: 2 } as const;

const kinds = {
  manual: { subject: "trigger:manual", title: "Unusually many syncs were started by hand", level: "MEDIUM" },
  webhook_gap: { subject: "trigger:webhook_gap", title: "Unusually many syncs after lost webhooks", level: "MEDIUM" },
} as const;

const isStartOf =
  (...triggers: readonly string[]) =>
  ({ type, trigger = "" }: Fact): boolean =>
    type === "PROVIDER_SYNC_STARTED" && triggers.includes(trigger);

/** The runs of the surprising windows that end in the hour, and the expected number of the last window. */
const burstOf = ({ hour, runs, runBaseline }: RuleInput, trigger: string, set: ThresholdValues | undefined) => {
  const limits = valuesOf(thresholds, set);
  const started = runs
    .filter((run) => run.trigger === trigger)
    .sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
  const found = new Set<RunFact>();
  let from = 0;
  let expected = 0;
  for (const [to, last] of started.entries()) {
    while ((started[from]?.startedAt ?? 0) <= last.startedAt - WINDOW_MS) from++;
    if (!isIn(hour, last.startedAt)) continue;
    const surprise = surpriseOf(to - from + 1, runBaseline, {
      prior: PRIOR,
      least: limits.runs,
      improbability: limits.improbability,
    });
    if (surprise === undefined) continue;
    expected = surprise.expected;
    for (const run of started.slice(from, to + 1)) found.add(run);
  }
  return { runs: [...found], expected };
};

export const abnormalSyncFrequencyAdvice: Advice = {
  level: "MEDIUM",
  action: "Find out who or what starts so many sync runs, and whether webhooks get lost.",
};

export const abnormalSyncFrequency = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  needs: (set) => ({ runs: valuesOf(thresholds, set).runs }),
  carries: ({ facts, hour }) => recent(facts.filter(isStartOf(...requestedTriggers)), hour, WINDOW_MS),
  judge: (input, set) =>
    requestedTriggers.flatMap((trigger) => {
      const { runs, expected } = burstOf(input, trigger, set);
      const firstSeen = runs.at(0)?.startedAt;
      const lastSeen = runs.at(-1)?.startedAt;
      if (firstSeen === undefined || lastSeen === undefined) return [];
      const starts = input.facts.filter(isStartOf(trigger)).filter(({ at }) => at >= firstSeen && at <= lastSeen);
      const finding = findingOfHour(input.hour, starts, {
        rule,
        kind: kinds[trigger],
        evidence: {
          count: runs.length,
          expected: roundExpected(expected),
          baselineRuns: input.runBaseline.calls,
          baselineHours: Math.round(input.runBaseline.hours),
          threshold: valuesOf(thresholds, set).runs,
          windowMs: WINDOW_MS,
          runIds: listed(runs.map(({ id }) => id)),
        },
      });
      return [{ ...finding, firstSeen, lastSeen }];
    }),
} satisfies Rule;
