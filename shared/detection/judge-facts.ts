/**
 * Judges the facts of an hour by the built-in rules, with what was judged before. Detection judges each hour so when it is
 * over, and a preview judges past hours again so: the same facts and settings give the same findings.
 */
import type { Finding } from "../security/alerts/finding.ts";
import { HOUR_MS } from "../terms/hours.ts";
import type { Baselines } from "./baselines.ts";
import { type DayCounts, dayAfter, dayBefore } from "./day-counts.ts";
import { organizationOfScope } from "./detection.ts";
import type { Fact } from "./evidence/fact.ts";
import type { Hour } from "./evidence/windows.ts";
import { fitFacts, fitFindings } from "./fit-window.ts";
import type { RulesSettings } from "./rule-settings.ts";
import { countedFacts, hourlyRules, judgeHour, leastNeed } from "./rules/rules.ts";
import { noSyncFacts, type SyncFacts } from "./sync-facts-store.ts";

/** What the last judged hour leaves for the next one. */
export type JudgedBefore = { today: DayCounts; carried: readonly Fact[] };

/** `ended`: the counts of the day before, if the hour is the first judged one of its day. */
export type JudgedFacts = {
  findings: Finding[];
  carried: Fact[];
  today: DayCounts;
  ended: DayCounts | undefined;
};

export type ReadSyncFacts = (
  organizationId: string,
  hour: Hour,
  options: { since: number; leastRuns: number; now: number },
) => Promise<SyncFacts>;

type FactsToJudge = {
  scope: string;
  /** Of the hour, epoch ms. */
  start: number;
  facts: readonly Fact[];
  settings: RulesSettings;
  previous: JudgedBefore | undefined;
  /** When the hour is judged, epoch ms. */
  now: number;
};

/** The returned function throws what the reads throw. */
export const createJudgeFacts =
  ({ baselines, readSyncFacts }: { baselines: Pick<Baselines, "read">; readSyncFacts: ReadSyncFacts }) =>
  async ({ scope, start, facts, settings, previous, now }: FactsToJudge): Promise<JudgedFacts> => {
    const hour: Hour = { start, end: start + HOUR_MS };
    const organizationId = organizationOfScope(scope);
    const before = dayBefore(previous?.today, start);
    const ended = previous === undefined || previous.today.day === before.day ? undefined : previous.today;
    const counted = countedFacts(facts, settings);
    const leastCalls = leastNeed("calls", settings);
    const leastRuns = leastNeed("runs", settings);
    const [hourBaselines, syncFacts] = await Promise.all([
      baselines.read({ scope, hour: start, facts: counted, leastCalls, before, ended }),
      organizationId === undefined
        ? noSyncFacts
        : readSyncFacts(organizationId, hour, { since: before.since, leastRuns, now }),
    ]);
    const input = { hour, facts, carried: previous?.carried ?? [], ...hourBaselines, ...syncFacts };
    const judged = judgeHour(input, hourlyRules, settings);
    return {
      findings: fitFindings(judged.findings),
      carried: fitFacts(judged.carried),
      today: dayAfter(before, scope, start, counted),
      ended,
    };
  };
