/**
 * Far more sync runs than usual are asked for, by users or by gaps in the provider's webhooks.
 *
 * Reads: runs, not their events, which the log level may leave out; the events are the evidence where there are any.
 * Groups: the organization, per trigger: `trigger:manual`, `trigger:webhook_gap`. Scheduled runs come when they should,
 *   and those of a new connection once.
 * Threshold, window: 10 runs that began in 60 min, whose Poisson tail is below 1e-6 against 28 days (surprise.ts).
 * Deduplication: one finding per trigger and hour.
 * Severity: MEDIUM: runs of one organization never overlap, so a burst costs requests and hides nothing.
 * Reason: a loop in a client, somebody who wears out the provider's limits, or a webhook that is lost again and again
 *   (https://owasp.org/API-Security/editions/2023/en/0xa6-unrestricted-access-to-sensitive-business-flows/). Ten, since
 *   somebody who waits for something may well press a button every ten minutes.
 */
import { HOUR_MS } from "../../terms/hours.ts";
import { addHour, baselineOf, type History } from "./baseline.ts";
import type { Fact } from "./fact.ts";
import { findingOfHour, isIn, listed, recent } from "./make-finding.ts";
import type { Baseline, Rule, RuleInput, RunFact } from "./rule.ts";
import { surpriseOf } from "./surprise.ts";

const rule = "abnormal_sync_frequency";
const WINDOW_MS = HOUR_MS;

export const LEAST_RUNS = 10;

/** Of an organization that nothing is known of: two runs an hour, until two hours have shown better. */
export const RUNS_PRIOR = { calls: 4, hours: 2 } as const;

const watched = ["manual", "webhook_gap"] as const;

const isWatched = (trigger: string | undefined): boolean => watched.some((one) => one === trigger);

/**
 * The runs before the hour's windows can begin, which is an hour before it.
 * @param runs those of the 28 days before.
 * @param since epoch ms: since when there could have been any.
 */
export const runBaselineOf = (runs: readonly RunFact[], since: number, hourStart: number): Baseline => {
  const end = hourStart - WINDOW_MS;
  const byHour = new Map<number, number>();
  for (const { startedAt, trigger } of runs) {
    if (!isWatched(trigger) || startedAt < since || startedAt >= end) continue;
    const start = Math.floor(startedAt / HOUR_MS) * HOUR_MS;
    byHour.set(start, (byHour.get(start) ?? 0) + 1);
  }
  let history: History = { since, days: [] };
  for (const [start, count] of [...byHour].sort(([a], [b]) => a - b)) history = addHour(history, start, count);
  return baselineOf(history, end);
};

const isStartOf =
  (trigger: string) =>
  ({ type, trigger: started }: Fact): boolean =>
    type === "PROVIDER_SYNC_STARTED" && started === trigger;

/** The runs of the windows that are surprising and end in the hour, and what was expected of the last. */
const burstOf = ({ hour, runs, runBaseline }: RuleInput, trigger: string) => {
  const started = runs
    .filter((run) => run.trigger === trigger)
    .sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
  const found = new Set<RunFact>();
  let from = 0;
  let expected = 0;
  for (const [to, last] of started.entries()) {
    while ((started[from]?.startedAt ?? 0) <= last.startedAt - WINDOW_MS) from++;
    if (!isIn(hour, last.startedAt)) continue;
    const surprise = surpriseOf(to - from + 1, runBaseline, { prior: RUNS_PRIOR, least: LEAST_RUNS });
    if (surprise === undefined) continue;
    expected = surprise.expected;
    for (const run of started.slice(from, to + 1)) found.add(run);
  }
  return { runs: [...found], expected };
};

export const abnormalSyncFrequency: Rule = {
  id: rule,
  version: 1,
  carries: ({ facts, hour }) =>
    recent(
      facts.filter((fact) => watched.some((trigger) => isStartOf(trigger)(fact))),
      hour,
      WINDOW_MS,
    ),
  judge: (input) =>
    watched.flatMap((trigger) => {
      const { runs, expected } = burstOf(input, trigger);
      const [first] = runs;
      const last = runs.at(-1);
      if (first === undefined || last === undefined) return [];
      const starts = input.facts.filter(isStartOf(trigger));
      const evidence = starts.filter(({ at }) => at >= first.startedAt && at <= last.startedAt);
      return [
        {
          ...findingOfHour(input.hour, evidence, {
            rule,
            subject: `trigger:${trigger}`,
            title:
              trigger === "manual" ? "Unusually many syncs were asked for" : "Unusually many syncs after lost webhooks",
            level: "MEDIUM" as const,
            evidence: {
              count: runs.length,
              expected: Math.round(expected * 1_000) / 1_000,
              baselineRuns: input.runBaseline.calls,
              baselineHours: Math.round(input.runBaseline.hours),
              threshold: LEAST_RUNS,
              windowMs: WINDOW_MS,
              runIds: listed(runs.map(({ id }) => id)),
            },
          }),
          firstSeen: first.startedAt,
          lastSeen: last.startedAt,
        },
      ];
    }),
};
