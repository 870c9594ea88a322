/** Judges past hours again by one set of settings and own rules, with the functions that judge hours when they are over. */
import type { ConnectedSpan } from "../connection/connected-spans.ts";
import { createBaselines } from "../detection/baselines.ts";
import {
  type CarriedRules,
  decodeRules,
  type EncodedRules,
  encodeRules,
} from "../detection/custom-rules/carried-rule.ts";
import { type JudgingRule, judgeCustomRules } from "../detection/custom-rules/judge-custom-rules.ts";
import { type Fact, inOrder, isForeignId, isTimedOperation } from "../detection/evidence/fact.ts";
import { createVisibility } from "../detection/evidence/known.ts";
import { type Latency, noLatency, withOperation } from "../detection/evidence/latency.ts";
import { createJudgeFacts, type JudgedBefore } from "../detection/judge-facts.ts";
import { findingsOfRefusal } from "../detection/judge-refusal.ts";
import { type RulesSettings, settingsOf, withLevel } from "../detection/rule-settings.ts";
import type { RefusedRequest } from "../detection/rules/rule.ts";
import { latencyRule } from "../detection/rules/rules.ts";
import type { SyncFacts } from "../detection/sync-facts-store.ts";
import type { Finding } from "../security/alerts/finding.ts";
import { HOUR_MS, MINUTE_MS } from "../terms/hours.ts";
import { createPastBaselineStore, type PastBaselines } from "./past-baselines.ts";

/** When the alerts of an hour's findings are raised: at the minute of the dispatch (shared/api/background-functions.ts). */
export const JUDGED_AFTER_MS = 6 * MINUTE_MS;

/** `raisedAt`: when its alert would be raised, epoch ms. */
export type PastFinding = { finding: Finding; raisedAt: number };

/** A value of JSON, for checkpoints. */
export type SideState = {
  before?: JudgedBefore | undefined;
  baselines: PastBaselines;
  latency: Latency;
  carried: EncodedRules[];
};

export const newSideState = (): SideState => ({ baselines: { users: {} }, latency: noLatency, carried: [] });

/** What judges. Without `settings`, the built-in rules do not. */
export type Side = { settings: RulesSettings | undefined; customRules: readonly JudgingRule[] };

export type PastHour = {
  /** Epoch ms. */
  start: number;
  /** In any order. */
  facts: readonly Fact[];
  /** When the hour was judged, epoch ms. */
  judgedAt: number;
  readSyncFacts: (options: { since: number; leastRuns: number; judgedAt: number }) => SyncFacts;
  /** When the organization was connected, as it is known at the hour's end. */
  connected: readonly ConnectedSpan[];
};

const refusedOf = (fact: Fact): RefusedRequest => {
  const { id, at, errorCode = "", action = "", permission = "", ipAddress = "", userId } = fact;
  const namesOtherOrganization = isForeignId(fact);
  return { eventId: id, at, errorCode, action, permission, ipAddress, userId, namesOtherOrganization };
};

const isRefusedAtOnce = ({ type, judgedAtOnce }: Fact): boolean =>
  type === "PERMISSION_DENIED" && judgedAtOnce === true;

const atOnce = (finding: Finding): PastFinding => ({ finding, raisedAt: finding.lastSeen });

export const createPastJudge = (
  { scope, side, sinceOfUsers }: { scope: string; side: Side; sinceOfUsers: Readonly<Record<string, number>> },
  stored: SideState,
) => {
  const { settings, customRules } = side;
  const baselines = createBaselines(createPastBaselineStore(stored.baselines, sinceOfUsers));
  let { before, latency } = stored;
  let carried: CarriedRules = decodeRules(stored.carried);

  const judgeBuiltIn = async (hour: PastHour, all: RulesSettings): Promise<Finding[]> => {
    const judgeFacts = createJudgeFacts({
      baselines,
      readSyncFacts: async (_organization, _hour, { since, leastRuns, now }) =>
        hour.readSyncFacts({ since, leastRuns, judgedAt: now }),
    });
    const { start, facts, judgedAt: now } = hour;
    const judged = await judgeFacts({ scope, start, facts, settings: all, previous: before, now });
    if (judged.ended !== undefined) await baselines.storeDay(scope, judged.ended);
    before = { today: judged.today, carried: judged.carried };
    return judged.findings;
  };

  /** As shared/detection/observe-latency.ts: only a slow operation is judged. */
  const judgeOperations = (facts: readonly Fact[], all: RulesSettings): Finding[] => {
    const { enabled, thresholds, level, known } = settingsOf(all, latencyRule.id);
    const { slowOperationMs } = latencyRule.needs();
    const visible = createVisibility(known);
    const found: Finding[] = [];
    for (const fact of inOrder(visible.facts(facts.filter(isTimedOperation)))) {
      latency = withOperation(latency, fact);
      if (!enabled || (fact.durationMs ?? 0) < slowOperationMs) continue;
      const finding = latencyRule.judgeOperations(latency, thresholds);
      if (finding !== undefined) found.push(withLevel(finding, level));
    }
    return found;
  };

  const judgeOwn = ({ start, facts, connected }: PastHour): Finding[] => {
    const judged = judgeCustomRules({
      scope,
      hour: { start, end: start + HOUR_MS },
      facts: inOrder(facts),
      rules: customRules,
      carried,
      connected,
    });
    carried = judged.carried;
    return judged.findings;
  };

  return {
    /** The findings of the next hour. @throws nothing that the hour's functions do not throw. */
    async judge(hour: PastHour): Promise<PastFinding[]> {
      const ofHour = (finding: Finding): PastFinding => ({ finding, raisedAt: hour.start + HOUR_MS + JUDGED_AFTER_MS });
      const own = customRules.length === 0 ? [] : judgeOwn(hour);
      if (settings === undefined) return own.map(ofHour);
      const refusals = hour.facts
        .filter(isRefusedAtOnce)
        .flatMap((fact) => findingsOfRefusal(refusedOf(fact), settings));
      const slow = judgeOperations(hour.facts, settings);
      const hourly = await judgeBuiltIn(hour, settings);
      return [...[...refusals, ...slow].map(atOnce), ...[...hourly, ...own].map(ofHour)];
    },

    state: (): SideState => ({
      before,
      baselines: stored.baselines,
      latency,
      carried: encodeRules(carried, Number.MAX_SAFE_INTEGER),
    }),
  };
};
