/** Judges an hour of an organization by its own rules, and does what follows from it. docs/rules.md, "How own rules count". */
import type { ConnectedSpan } from "../../connection/connected-spans.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { organizationIdOf } from "../../terms/keys.ts";
import type { Fact } from "../evidence/fact.ts";
import type { Hour } from "../evidence/windows.ts";
import type { RaiseFinding } from "../raise-finding.ts";
import type { CustomResultRef, CustomResultStore, OwnFinding } from "./custom-result-store.ts";
import type { DryRunSample } from "./custom-rule.ts";
import type { CustomRuleStore } from "./custom-rule-store.ts";
import { type JudgingRule, judgeCustomRules, needsConnection, rulesOfHour } from "./judge-custom-rules.ts";

export type CustomRulesDependencies = {
  rules: Pick<CustomRuleStore, "listForJudging" | "addDryRun">;
  results: CustomResultStore;
  /** When the organization was connected. */
  connectedSpans: (organizationId: string) => Promise<readonly ConnectedSpan[]>;
  raise: RaiseFinding;
};

/** A judged hour. `revisions`: of the rules that judged it, by the names of their alerts' rules. */
export type JudgedByCustomRules = { result: CustomResultRef | undefined; revisions: Readonly<Record<string, number>> };

const nothing: JudgedByCustomRules = { result: undefined, revisions: {} };

/** Findings are raised one by one, each for some units of the organization's alerts. */
const RAISED_AT_ONCE = 8;
const SAMPLE_EVENTS = 10;

const sampleOf = (hour: number, { subject, evidence, firstSeen, lastSeen, eventIds }: OwnFinding): DryRunSample => ({
  subject,
  hour,
  count: evidence.count,
  firstSeen,
  lastSeen,
  eventIds: eventIds.slice(-SAMPLE_EVENTS),
});

const withDryRun = (finding: OwnFinding, rules: readonly JudgingRule[]): OwnFinding => {
  const rule = rules.find(({ id }) => finding.rule === `custom_${id}`);
  if (rule?.mode !== "dryRun") return finding;
  return { ...finding, dryRun: { id: rule.id, revision: rule.revision, since: rule.changedAt } };
};

/** The hour before as far as own rules need it. `hour`: its start, epoch ms. */
export type PreviousHour = { hour: number; custom?: CustomResultRef | undefined } | undefined;

export type CustomRulesHour = ReturnType<typeof createCustomRulesHour>;

/** Both calls throw DomainError `store_unavailable`. */
export const createCustomRulesHour = ({ rules: store, results, connectedSpans, raise }: CustomRulesDependencies) => ({
  /**
   * Judges an hour and stores the result, which counts once the hour's window names it. Half a read unit; of an organization
   * with rules one per 4 KB of rules and of what is carried, and a write unit per KB of the result.
   * @param facts of the hour, in order of time.
   */
  async judge(scope: string, hour: Hour, facts: readonly Fact[], previous: PreviousHour): Promise<JudgedByCustomRules> {
    const rules = rulesOfHour(await store.listForJudging(scope), hour);
    if (rules.length === 0) return nothing;
    const [before, connected] = await Promise.all([
      previous?.custom && results.read(scope, previous.hour, previous.custom),
      needsConnection(rules, hour) ? connectedSpans(organizationIdOf(scope)) : [],
    ]);
    const judged = judgeCustomRules({
      scope,
      hour,
      facts,
      rules,
      carried: before?.carried ?? new Map(),
      connected,
    });
    const findings = judged.findings.map((finding) => withDryRun(finding, rules));
    const result = await results.put(scope, hour.start, { findings, carried: judged.carried });
    return { result, revisions: Object.fromEntries(rules.map(({ id, revision }) => [`custom_${id}`, revision])) };
  },

  /** Raises the findings of an hour, and counts those of dry runs. Repeated, it changes nothing. @param hour epoch ms. */
  async finish(scope: string, hour: number, result: CustomResultRef): Promise<void> {
    if (result.findings === 0) return;
    const organizationId = organizationIdOf(scope);
    const { findings } = await results.read(scope, hour, result);
    const live = findings.filter(({ dryRun }) => dryRun === undefined);
    await inParallel(live, RAISED_AT_ONCE, (finding) => raise(organizationId, finding));
    const counted = Map.groupBy(findings, ({ dryRun }) => dryRun?.id);
    for (const [id, ofRule] of counted) {
      const [first] = ofRule;
      if (id === undefined || first?.dryRun === undefined) continue;
      const { revision, since } = first.dryRun;
      const samples = ofRule.map((finding) => sampleOf(hour, finding));
      await store.addDryRun(organizationId, id, { revision, since, hour, samples });
    }
  },
});
