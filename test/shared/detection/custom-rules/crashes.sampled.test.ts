/** Twenty own rules over three days, judged by a worker that crashes at any of its calls: alerts and dry runs equal brute force. */
import { expect, it } from "@jest/globals";
import { createBaselines } from "../../../../shared/detection/baselines.ts";
import {
  type CarriedRules,
  decodeRules,
  EncodedRules,
  encodeRules,
} from "../../../../shared/detection/custom-rules/carried-rule.ts";
import type { CustomResult } from "../../../../shared/detection/custom-rules/custom-result-store.ts";
import type { StoredRule } from "../../../../shared/detection/custom-rules/custom-rule-item.ts";
import { createCustomRulesHour } from "../../../../shared/detection/custom-rules/custom-rules-hour.ts";
import { type StoredDryRun, withHour } from "../../../../shared/detection/custom-rules/dry-run-item.ts";
import { createJudgeScope } from "../../../../shared/detection/detect-organization.ts";
import type { Fact } from "../../../../shared/detection/evidence/fact.ts";
import { defaultRuleSettings } from "../../../../shared/detection/rule-settings.ts";
import { noSyncFacts } from "../../../../shared/detection/sync-facts-store.ts";
import type { Window } from "../../../../shared/detection/window-store.ts";
import { createPastBaselineStore } from "../../../../shared/previews/past-baselines.ts";
import { type Finding, findingRules, isCustomRule } from "../../../../shared/security/alerts/finding.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../shared/terms/hours.ts";
import { organizationKey } from "../../../../shared/terms/keys.ts";
import { depth } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { createRandom } from "../../../support/random.ts";
import { judgeByBruteForce, type Memory } from "./oracle.ts";
import { HOURS, START, facts as someFacts, rules as someRules } from "./random-rules.ts";

const scope = organizationKey("acme");
const connected = [{ since: 0, until: START + 40 * HOUR_MS }, { since: START + 41 * HOUR_MS }];
const off = Object.fromEntries(
  findingRules.map((rule) => [rule, { ...defaultRuleSettings, enabled: false, revision: 1 }]),
);

const throughStore = (carried: CarriedRules): CarriedRules =>
  decodeRules(encodeRules(carried, 300).map((part) => EncodedRules.parse(JSON.parse(JSON.stringify(part)))));

class Crash extends Error {}

/** Detection over stores in memory, of which each call may crash before or after it has its effect. */
const createWorld = (rules: readonly StoredRule[], facts: readonly Fact[], random: () => number) => {
  const windows = new Map<number, Window>();
  const results = new Map<string, CustomResult>();
  const dryRuns = new Map<string, StoredDryRun>();
  const raised = new Set<string>();
  let crashes = 0;
  const call = async <Result>(effect: () => Result): Promise<Result> => {
    const chance = random();
    if (chance < 0.03) crashes++;
    if (chance < 0.015) throw new Crash();
    const result = effect();
    if (chance < 0.03) throw new Crash();
    return result;
  };
  const raise = async (_organization: string | undefined, { rule, subject, occurrence }: Finding): Promise<void> =>
    call(() => void raised.add(`${occurrence} ${rule} ${subject}`));
  const judge = createJudgeScope({
    windows: {
      latest: (_scope, hour) =>
        call(() => windows.get(Math.max(-1, ...[...windows.keys()].filter((one) => one <= hour)))),
      put: (_scope, window) => call(() => windows.get(window.hour) ?? (windows.set(window.hour, window) && window)),
      markFinished: (_scope, hour, finishedAt) =>
        call(() => {
          const window = windows.get(hour);
          if (window !== undefined) windows.set(hour, { ...window, finishedAt });
        }),
    },
    events: { readHour: (_scope, hour) => call(() => facts.filter(({ at }) => at >= hour && at < hour + HOUR_MS)) },
    settings: { read: async () => off },
    baselines: createBaselines(createPastBaselineStore({ users: {} }, {})),
    readSyncFacts: async () => noSyncFacts,
    judgeMoney: async () => 0,
    customRules: createCustomRulesHour({
      rules: {
        listForJudging: () => call(() => [...rules]),
        addDryRun: (_organization, id, hour) =>
          call(() => {
            const after = withHour(dryRuns.get(id), hour, "version");
            if (after !== undefined) dryRuns.set(id, after);
          }),
      },
      results: {
        put: (_scope, _hour, { findings, carried }) =>
          call(() => {
            const token = String(results.size);
            results.set(token, { findings, carried: throughStore(carried) });
            return { token, findings: findings.length };
          }),
        read: (_scope, _hour, { token }) => call(() => results.get(token) ?? { findings: [], carried: new Map() }),
      },
      connectedSpans: () => call(() => connected),
      raise,
    }),
    raise,
    markReportsDue: async () => undefined,
    now: () => START,
  });
  return {
    raised,
    dryRuns,
    crashes: () => crashes,
    /** As the queue does: delivers an hour again until it is judged. */
    async judge(hour: number): Promise<void> {
      for (;;) {
        try {
          await judge(scope, hour);
          return;
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
        }
      }
    },
  };
};

it("twenty own rules raise what brute force finds, each once, whenever their worker crashes", async () => {
  const seen = { crashes: 0, raised: 0, dry: 0 };
  await fc.assert(
    fc.asyncProperty(
      someRules,
      someFacts,
      fc.array(fc.nat(HOURS - 2), { maxLength: 3 }),
      fc.nat(),
      async (shapes, facts, late, seed) => {
        const rules = shapes.map((rule, index): StoredRule => {
          const author = { createdAt: rule.changedAt, createdBy: "ada", changedBy: "ada", version: "1" };
          return { ...rule, ...author, mode: index % 4 === 0 ? "dryRun" : "live" };
        });
        const world = createWorld(rules, facts, createRandom(seed));
        const all = Array.from({ length: HOURS }, (_, hour) => hour);
        // Late hours are judged two hours later.
        const order = all.filter((hour) => !late.includes(hour));
        for (const hour of new Set(late)) {
          const next = order.findIndex((one) => one > hour);
          order.splice(next < 0 ? order.length : next + 2, 0, hour);
        }
        const memories = new Map<number, Memory>();
        const expected = new Set<string>();
        const wouldHaveRaised = new Map<string, number>();
        for (const index of order) {
          const hour = START + index * HOUR_MS;
          await world.judge(hour);
          const before = Math.max(-1, ...[...memories.keys()].filter((one) => one < index));
          const { findings, memory } = judgeByBruteForce({
            scope,
            hour,
            facts: facts.filter(({ at }) => at >= hour && at < hour + HOUR_MS),
            rules,
            memory: memories.get(before) ?? new Map(),
            connected,
            maxGroups: 200,
          });
          memories.set(index, memory);
          const name = new Date(hour + MINUTE_MS).toISOString().slice(0, 13);
          for (const { rule, subject } of findings) {
            const id = rule.slice("custom_".length);
            const isDry = rules.find((one) => one.id === id)?.mode === "dryRun";
            if (isDry) wouldHaveRaised.set(id, (wouldHaveRaised.get(id) ?? 0) + 1);
            else expected.add(`${name} ${rule} ${subject}`);
          }
        }
        expect([...world.raised].filter((one) => isCustomRule(one.split(" ")[1] ?? "")).sort()).toEqual(
          [...expected].sort(),
        );
        expect(new Map([...world.dryRuns].map(([id, run]) => [id, run.wouldHaveRaised]))).toEqual(wouldHaveRaised);
        seen.crashes += world.crashes();
        seen.raised += expected.size;
        seen.dry += wouldHaveRaised.size;
      },
    ),
    { numRuns: depth(4, 100) },
  );
  // The property is about something.
  expect(Object.values(seen).filter((count) => count === 0)).toEqual([]);
});
