/** A preview's way through the hours, from the first one before its period to the last one: a state that goes on from a checkpoint. */

import type { Fact } from "../detection/evidence/fact.ts";
import { inOrder } from "../detection/evidence/fact.ts";
import { settingsOf, withLevel } from "../detection/rule-settings.ts";
import { kindsOf } from "../detection/rules/rules.ts";
import { customRuleName, type Finding } from "../security/alerts/finding.ts";
import { HOUR_MS, hourName } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import {
  createPastJudge,
  JUDGED_AFTER_MS,
  newSideState,
  type PastFinding,
  type Side,
  type SideState,
} from "./judge-past-hour.ts";
import { openAt } from "./notified.ts";
import {
  createOutcome,
  type Difference,
  type Found,
  newOutcomeState,
  noDifference,
  type OutcomeState,
  oneEach,
  withHour,
} from "./outcome.ts";
import { createPastMoney, noMoney } from "./past-money.ts";
import {
  connectionAfter,
  connectionAtStart,
  type PastConnection,
  pastConnectedSpans,
  pastSyncFacts,
} from "./past-syncing.ts";
import type { PreviewResult } from "./preview.ts";
import type { PreviewInputs } from "./preview-inputs.ts";
import type { StoredPreview } from "./preview-item.ts";
import { ofSide, raisedByHour } from "./raised-at-once.ts";

/** A value of JSON. `next`: the hour to judge next, epoch ms. */
export type RunState = {
  next: number;
  inputs: PreviewInputs;
  hasBegun: boolean;
  connection: PastConnection;
  sides: SideState[];
  now: OutcomeState;
  changed: OutcomeState;
  difference: Difference;
};

export const newRunState = ({ readFrom, from }: StoredPreview, inputs: PreviewInputs): RunState => {
  const outcome = () => newOutcomeState(openAt(inputs.alerts, from));
  return {
    next: readFrom,
    inputs,
    hasBegun: false,
    connection: connectionAtStart(inputs.connection, readFrom),
    sides: [],
    now: outcome(),
    changed: outcome(),
    difference: noDifference,
  };
};

const silentRulesOf = (side: Side): ReadonlySet<string> =>
  new Set(side.customRules.filter(({ mode }) => mode === "dryRun").map(({ id }) => customRuleName(id)));

const SYSTEM_RULE = "system_errors";

/** The findings of an hour that were raised at once and left no events, as their alert has them. */
const raisedAtOnce = (start: number): Finding[] =>
  Object.values(kindsOf(SYSTEM_RULE)).map((kind) => ({
    rule: SYSTEM_RULE,
    ...kind,
    occurrence: hourName(start),
    eventIds: [],
    evidence: { count: 1 },
    firstSeen: start,
    lastSeen: start + HOUR_MS,
  }));

export const createPreviewRun = (
  stored: StoredPreview,
  { organizationId, syncIntervalMs }: { organizationId: string; syncIntervalMs: number },
  state: RunState,
) => {
  const { change, from, to } = stored;
  const { inputs } = state;
  const scope = organizationKey(organizationId);
  const { alerts, filters, runs, sinceOfUsers } = inputs;
  const judgedTimes = new Map(inputs.judged);
  const sides = inputs.changed === undefined ? [inputs.now] : [inputs.now, inputs.changed];
  const judges = sides.map((side, index) =>
    createPastJudge({ scope, side, sinceOfUsers }, state.sides[index] ?? newSideState()),
  );
  const money = createPastMoney(inputs.money ?? noMoney);
  const mute =
    change.kind === "mute" ? { ...change.mute, from: stored.readFrom, until: Number.MAX_SAFE_INTEGER } : undefined;
  const changedSide = inputs.changed ?? inputs.now;
  const [silentNow, silentChanged] = [silentRulesOf(inputs.now), silentRulesOf(changedSide)];
  const { mutes } = inputs;
  const now = createOutcome({ mutes, filters, alerts, isSilent: (rule) => silentNow.has(rule) }, state.now);
  const changed = createOutcome(
    {
      mutes: mute === undefined ? mutes : [...mutes, mute],
      filters,
      alerts,
      isSilent: (rule) => silentChanged.has(rule),
    },
    state.changed,
  );
  let { next, hasBegun, connection, difference } = state;

  const systemHours = new Set(
    alerts.filter(({ rule }) => rule === SYSTEM_RULE).flatMap(({ occurrences }) => occurrences),
  );
  const raised = raisedByHour(alerts);
  const isPreviewed = ({ finding }: PastFinding): boolean => change.kind !== "rule" || finding.rule === change.rule;
  const watchesSilence =
    change.kind === "mute" ||
    (change.kind === "rule" && change.rule === "sync_silence") ||
    sides.some(({ customRules }) => customRules.some(({ condition }) => "lt" in condition));

  /** Adds what was raised at once and left no events, to the sides that do not find it by themselves. */
  const withSystemErrors = (found: readonly PastFinding[][], start: number): PastFinding[][] => {
    const isFound = found[0]?.some(({ finding }) => finding.rule === SYSTEM_RULE) ?? false;
    if (isFound || !systemHours.has(hourName(start))) return [...found];
    return found.map((ofSide, index) => {
      const settings = sides[index]?.settings;
      const { enabled, level } = settingsOf(settings ?? {}, SYSTEM_RULE);
      if (settings === undefined || !enabled) return ofSide;
      const raised = raisedAtOnce(start).map((finding) => withLevel(finding, level));
      return [...ofSide, ...raised.map((finding) => ({ finding, raisedAt: start + HOUR_MS }))];
    });
  };

  return {
    next: () => next,
    /** When an hour was judged, epoch ms; undefined if it was not. */
    judgedAt: (hour: number): number | undefined => judgedTimes.get(hour),

    /** Judges the next hour. @param facts of the hour. */
    async judge(facts: readonly Fact[]): Promise<void> {
      const start = next;
      next += HOUR_MS;
      connection = connectionAfter(connection, inOrder(facts));
      const isJudged = judgedTimes.has(start);
      const raisedNow = raised.get(start) ?? [];
      // Detection judges an hour without events only for silence.
      if (
        !isJudged &&
        facts.length + raisedNow.length === 0 &&
        !money.has(start) &&
        !(watchesSilence && (hasBegun || change.kind === "customRule"))
      )
        return;
      hasBegun = true;
      const hour = { start, end: start + HOUR_MS };
      const judgedAt = judgedTimes.get(start) ?? hour.end + JUDGED_AFTER_MS;
      const pastHour = {
        start,
        facts,
        judgedAt,
        readSyncFacts: (options: { since: number; leastRuns: number; judgedAt: number }) => {
          const syncFacts = pastSyncFacts({ runs, connection, syncIntervalMs }, hour, options);
          // A run that succeeded before the dispatch is why an hour without events was not judged: there was no silence.
          return isJudged || facts.length > 0 ? syncFacts : { ...syncFacts, connection: undefined };
        },
        connected: pastConnectedSpans(connection),
      };
      const found: PastFinding[][] = [];
      for (const [index, judge] of judges.entries()) {
        const atOnce = ofSide(raisedNow, sides[index] ?? inputs.now);
        const settings = sides[index]?.settings;
        const ofMoney = settings === undefined ? [] : money.judge(start, settings);
        found.push([...(await judge.judge(pastHour)), ...atOnce, ...ofMoney].filter(isPreviewed));
      }
      if (start < from) return;
      const isSystem = change.kind === "mute" || (change.kind === "rule" && change.rule === SYSTEM_RULE);
      const [foundNow = [], foundChanged = foundNow] = isSystem ? withSystemErrors(found, start) : found;
      const both: { now: Found; changed: Found } = { now: oneEach(foundNow), changed: oneEach(foundChanged) };
      now.add(both.now, start);
      changed.add(both.changed, start);
      difference = withHour(difference, { ...both, mute }, start);
    },

    state: (): RunState => ({
      next,
      inputs,
      hasBegun,
      connection,
      sides: judges.map((judge) => judge.state()),
      now: now.state(),
      changed: changed.state(),
      difference,
    }),

    result: (): PreviewResult => ({
      from,
      to,
      now: now.end(to),
      // biome-ignore lint/suspicious/noThenProperty: a field of the API, and not a function.
      then: changed.end(to),
      ...difference,
    }),
  };
};
