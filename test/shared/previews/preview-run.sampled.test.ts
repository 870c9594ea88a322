/** A preview of the present settings finds what detection has found, over random histories; and what a change makes of them. */
import { describe, expect, it } from "@jest/globals";
import type { RulesSettings } from "../../../shared/detection/rule-settings.ts";
import { defaultRuleSettings } from "../../../shared/detection/rule-settings.ts";
import { hourlyRules } from "../../../shared/detection/rules/rules.ts";
import type { PreviewResult } from "../../../shared/previews/preview.ts";
import type { PreviewInputs } from "../../../shared/previews/preview-inputs.ts";
import type { Change, StoredPreview } from "../../../shared/previews/preview-item.ts";
import { createPreviewRun, newRunState, type RunState } from "../../../shared/previews/preview-run.ts";
import type { FindingRule } from "../../../shared/security/alerts/finding.ts";
import { dayName } from "../../../shared/terms/hours.ts";
import { depth, rangeOf } from "../../support/depth.ts";
import {
  DAY,
  type History,
  HOUR,
  type Judged,
  judgeHistory,
  ORGANIZATION,
  ownRules,
  randomHistory,
  START,
  SYNC_INTERVAL_MS,
} from "./history.ts";

const settings: RulesSettings = {
  rate_limit_violations: { ...defaultRuleSettings, thresholds: { rejections: 2 }, level: "LOW", revision: 3 },
  permission_escalation: { ...defaultRuleSettings, known: { networks: [], users: ["bob"] }, revision: 1 },
  unusual_api_usage: {
    ...defaultRuleSettings,
    thresholds: { calls: 10 },
    known: { networks: ["198.51.100.0/24"], users: [] },
    revision: 1,
  },
};

type World = { history: History; judged: readonly Judged[]; times: ReadonlyMap<number, number> };

const build = async (seed: number, days: number, bursts: number): Promise<World> => {
  const history = randomHistory(seed, days * 24, bursts);
  return { history, ...(await judgeHistory(history, settings)) };
};

/** Judges a history again. After each few hours, the run continues from its state, as another worker would. */
const preview = async (
  { history, times }: World,
  change: Change,
  sides: Pick<PreviewInputs, "now" | "changed">,
  { days, readFrom }: { days: number; readFrom: number },
): Promise<PreviewResult> => {
  const to = Math.max(...times.keys()) + HOUR;
  const stored: StoredPreview = {
    id: "preview",
    status: "running",
    days,
    change,
    readFrom,
    from: to - days * DAY,
    to,
    reads: 0,
    requestedAt: to + HOUR,
    requestedBy: "ada",
  };
  const inputs: PreviewInputs = {
    ...sides,
    mutes: [],
    filters: [{}],
    alerts: [],
    judged: [...times],
    runs: history.runs,
    connection: { connectedAt: 0, connectedSince: 0 },
    sinceOfUsers: {},
  };
  const byHour = Map.groupBy(history.recorded, ({ fact }) => fact.at - (fact.at % HOUR));
  const start = (state: RunState) =>
    createPreviewRun(stored, { organizationId: ORGANIZATION, syncIntervalMs: SYNC_INTERVAL_MS }, state);
  let run = start(newRunState(stored, inputs));
  for (let hours = 0; run.next() < to; hours++) {
    const recordedBy = run.judgedAt(run.next()) ?? Number.POSITIVE_INFINITY;
    const facts = (byHour.get(run.next()) ?? []).filter(({ recordedAt }) => recordedAt <= recordedBy);
    await run.judge(facts.map(({ fact }) => fact));
    if (hours % 17 === 16) run = start(JSON.parse(JSON.stringify(run.state())));
  }
  return run.result();
};

/** The outcome that findings amount to, without notifications. */
const outcomeOf = (judged: readonly Judged[]) => {
  const countBy = (keyOf: (one: Judged) => string) =>
    Object.fromEntries([...Map.groupBy(judged, keyOf)].map(([key, some]) => [key, some.length]));
  return {
    alerts: judged.length,
    byLevel: countBy(({ finding }) => finding.level),
    byDay: countBy(({ hour }) => dayName(hour)),
  };
};

const inPeriod = ({ judged, times }: World, days: number): Judged[] => {
  const to = Math.max(...times.keys()) + HOUR;
  return judged.filter(({ hour }) => hour >= to - days * DAY);
};

const named = (one: Judged): string => `${one.hour} ${one.finding.rule} ${one.finding.subject}`;

const without = ({ notifications: _, atNight: __, ...outcome }: PreviewResult["now"]) => outcome;

describe("a preview", () => {
  it.each(rangeOf(depth(1, 60)))(
    "finds with the settings of a rule what detection has found, history %i",
    async (seed) => {
      const world = await build(seed, 6, 90);
      let findings = 0;
      for (const { id } of hourlyRules) {
        const rule: FindingRule = id;
        const off = { ...defaultRuleSettings, enabled: false };
        const change: Change = { kind: "rule", rule, settings: off };
        const sides = {
          now: { settings, customRules: [] },
          changed: { settings: { ...settings, [rule]: { ...off, revision: 1 } }, customRules: [] },
        };
        const result = await preview(world, change, sides, { days: 3, readFrom: START });
        const expected = inPeriod(world, 3).filter(({ finding }) => finding.rule === rule);
        findings += expected.length;
        expect({ rule, ...without(result.now) }).toEqual({ rule, ...outcomeOf(expected) });
        expect(result.then).toMatchObject({ alerts: 0, notifications: 0 });
        expect(result.added).toEqual([]);
        const newest = expected.sort((a, b) => b.hour - a.hour).slice(0, 20);
        expect(result.removed.map(({ hour }) => hour)).toEqual(newest.map(({ hour }) => hour));
        const names = new Set(expected.map(named));
        for (const { hour, rule: found, subject } of result.removed)
          expect(names).toContain(`${hour} ${found} ${subject}`);
      }
      expect(findings).toBeGreaterThan(10);
    },
  );

  it.each(rangeOf(depth(1, 30)))("finds with own rules what detection has found, history %i", async (seed) => {
    const world = await build(100 + seed, 5, 120);
    for (const { version: _, ...rule } of ownRules) {
      const change: Change = { kind: "customRule", id: rule.id, definition: rule };
      const sides = {
        now: { settings: undefined, customRules: [rule] },
        changed: { settings: undefined, customRules: [{ ...rule, level: "LOW" as const }] },
      };
      const to = Math.max(...world.times.keys()) + HOUR;
      const result = await preview(world, change, sides, { days: 2, readFrom: to - 3 * DAY });
      const expected = inPeriod(world, 2).filter(({ finding }) => finding.rule === `custom_${rule.id}`);
      expect({ rule: rule.id, ...without(result.now) }).toEqual({ rule: rule.id, ...outcomeOf(expected) });
      expect(result.then.byLevel).toEqual(expected.length === 0 ? {} : { LOW: expected.length });
      expect([result.added, result.removed]).toEqual([[], []]);
    }
  });

  it.each(rangeOf(depth(1, 10)))(
    "of a mute finds what all rules have found, by baselines of 28 days, history %i",
    async (seed) => {
      const world = await build(200 + seed, 33, 260);
      const mute = { levels: ["MEDIUM" as const], from: 0, until: 1, includeCritical: false };
      const change: Change = { kind: "mute", mute };
      const sides = { now: { settings, customRules: ownRules }, changed: undefined };
      const to = Math.max(...world.times.keys()) + HOUR;
      const result = await preview(world, change, sides, { days: 4, readFrom: START });
      expect(to - START).toBeGreaterThan(32 * DAY);
      const expected = inPeriod(world, 4);
      expect(without(result.now)).toEqual(outcomeOf(expected));
      expect(without(result.then)).toEqual(outcomeOf(expected));
      expect(expected.length).toBeGreaterThan(10);
      expect(result.then.notifications).toBeLessThan(result.now.notifications);
      for (const { level } of result.withheld) expect(level).toBe("MEDIUM");
      expect(result.withheld.length).toBeGreaterThan(0);
    },
  );
});
