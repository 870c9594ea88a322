import { describe, expect, it } from "@jest/globals";
import { type Fact, factOf } from "../../../shared/detection/evidence/fact.ts";
import { createVisibility } from "../../../shared/detection/evidence/known.ts";
import {
  defaultRuleSettings,
  type RuleSettings,
  type RulesSettings,
  revisionsOf,
} from "../../../shared/detection/rule-settings.ts";
import {
  countedFacts,
  describeThresholds,
  type HourInput,
  hourlyRules,
  judgeHour,
  leastNeed,
  rules,
} from "../../../shared/detection/rules/rules.ts";
import { findingRules } from "../../../shared/security/alerts/finding.ts";
import { createEvents, HOUR, MINUTE } from "../../detection/events.ts";
import { fc } from "../../support/fixed-seed.ts";
import { arbitraryFacts, arbitraryRuns, inputOf, START } from "./judge-hour-inputs.ts";

const set = (rule: string, settings: Partial<RuleSettings>): RulesSettings => ({
  [rule]: { ...defaultRuleSettings, revision: 1, ...settings },
});
const setAll = (settings: Partial<RuleSettings>): RulesSettings =>
  Object.assign({}, ...findingRules.map((rule) => set(rule, settings)));

const events = createEvents("acme");
const failures = (count: number, user = "eve") =>
  Array.from({ length: count }, (_, i) =>
    factOf(events.tokenFailure(START + i * MINUTE, { user, address: "192.0.2.7" })),
  );
const judge = (facts: readonly Fact[], settings: RulesSettings) => judgeHour(inputOf(facts), hourlyRules, settings);

describe("a rule with settings", () => {
  it("finds the same as without any if they are the defaults", () => {
    fc.assert(
      fc.property(arbitraryFacts(1), arbitraryRuns(1), (facts, runs) => {
        const input = inputOf(facts, { runs });
        expect(judgeHour(input, hourlyRules, setAll({}))).toEqual(judgeHour(input));
      }),
      { numRuns: 200 },
    );
  });

  it("finds what it would find if events of known users and networks did not exist", () => {
    const known = { networks: ["198.51.100.0/24"], users: ["ada"] };
    const { facts: visible } = createVisibility(known);
    fc.assert(
      fc.property(arbitraryFacts(1), arbitraryRuns(1), (facts, runs) => {
        const seen = judgeHour(inputOf(facts, { runs }), hourlyRules, setAll({ known }));
        expect(seen.findings).toEqual(judgeHour(inputOf(visible(facts), { runs })).findings);
      }),
      { numRuns: 300 },
    );
  });

  it("carries facts whole, whatever it sees of them", () => {
    const busiest = ["ada", "eve"].map((userId) => ({
      userId,
      failures: 3,
      addresses: [],
      lastAt: START + 59 * MINUTE,
    }));
    const count = factOf(
      events.tokenFailure(START + 59 * MINUTE, { address: "192.0.2.7" }, { failures: 6, users: 2, busiest }),
    );
    expect(judge([count], setAll({ known: { networks: [], users: ["ada"] } })).carried).toEqual([count]);
  });

  it("makes no finding and carries nothing while it is off; the others do", () => {
    fc.assert(
      fc.property(arbitraryFacts(1), arbitraryRuns(1), (facts, runs) => {
        const input = inputOf(facts, { runs });
        const off = judgeHour(input, hourlyRules, set("repeated_auth_failures", { enabled: false }));
        const others = hourlyRules.filter(({ id }) => id !== "repeated_auth_failures");
        expect(off).toEqual(judgeHour(input, others));
      }),
      { numRuns: 200 },
    );
  });

  it("has its level, but for what is CRITICAL", () => {
    const success = factOf(events.call(START + 10 * MINUTE, { user: "eve", address: "198.51.100.7" }));
    const low = set("repeated_auth_failures", { level: "LOW" });
    expect(judge(failures(5), low).findings.map(({ level }) => level)).toEqual(["LOW"]);
    expect(judge([...failures(5), success], low).findings.map(({ level }) => level)).toEqual(["CRITICAL"]);
    const critical = set("repeated_auth_failures", { level: "CRITICAL" });
    expect(judge(failures(5), critical).findings.map(({ level }) => level)).toEqual(["CRITICAL"]);
  });

  it("counts no facts of known callers into the baseline of calls, and keeps those of operations apart", () => {
    const call = factOf(events.call(START, { user: "ada" }));
    const operation = factOf(events.operation(START, {}, { userId: "ada" }));
    const known = { networks: [], users: ["ada"] };
    expect(countedFacts([call, operation], set("unusual_api_usage", { known }))).toEqual([operation]);
    expect(countedFacts([call, operation], set("performance_degradation", { known }))).toEqual([call]);
  });

  it("needs baselines from its own threshold on, and none while it is off", () => {
    expect(leastNeed("calls", set("unusual_api_usage", { thresholds: { calls: 12 } }))).toBe(12);
    expect(leastNeed("runs", set("abnormal_sync_frequency", { thresholds: { runs: 7 } }))).toBe(7);
    expect(leastNeed("calls", set("unusual_api_usage", { enabled: false }))).toBe(Number.POSITIVE_INFINITY);
  });

  it("names the revisions that judge only if there are any", () => {
    expect(revisionsOf({})).toBeUndefined();
    expect(revisionsOf({ ...set("sync_silence", {}), ...set("later_rule", {}) })).toEqual({ sync_silence: 1 });
  });
});

type Example = {
  threshold: string;
  low: number;
  high: number;
  facts?: readonly Fact[];
  input?: Partial<HourInput>;
  /** Other thresholds. */
  others?: Readonly<Record<string, number>>;
};

const denials = (count: number, everyMinutes = 1) =>
  ["status:read", "sync:run", "security:read", "connection:manage", "erasure:request"]
    .slice(0, count)
    .map((permission, i) => factOf(events.denial(START + i * everyMinutes * MINUTE, { user: "eve" }, permission)));
const operations = (metadata: object, count: number, everyMinutes = 1) =>
  Array.from({ length: count }, (_, i) =>
    factOf(events.operation(START + i * everyMinutes * MINUTE, { attempts: 1, ...metadata })),
  );
const limited = (count: number, everyMinutes?: number) => operations({ rateLimited: 1 }, count, everyMinutes);
const sprayed = (users: number, everyMs: number) =>
  Array.from({ length: 30 }, (_, i) =>
    factOf(events.tokenFailure(START + i * everyMs, { user: `user-${i % users}`, address: "192.0.2.7" })),
  );
const calls = (count: number) =>
  Array.from({ length: count }, (_, i) => factOf(events.call(START + i * 1_000, { user: "eve" })));
const quiet = { calls: 600, hours: 600, dailyPeaks: [] };
const runs = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `run-${i}`,
    trigger: "manual",
    status: "failed" as const,
    startedAt: START + i * MINUTE,
  }));
const silent = (hours: number) => ({
  connection: {
    isConnected: true,
    isCircuitOpen: false,
    isForcedOpen: false,
    lastSuccessAt: START + HOUR - hours * HOUR,
    syncIntervalMs: HOUR,
  },
});

/** For each threshold an input of which the rule finds something, or more, with `low`, and less with `high`. */
const examples: Readonly<Record<string, readonly Example[]>> = {
  repeated_auth_failures: [
    { threshold: "failures", low: 5, high: 6, facts: failures(5) },
    {
      threshold: "windowMinutes",
      low: 13,
      high: 12,
      facts: [0, 3, 6, 9, 12].map((at) => factOf(events.tokenFailure(START + at * MINUTE, { user: "eve" }))),
    },
    {
      threshold: "successMinutes",
      low: 17,
      high: 16,
      facts: [...failures(5), factOf(events.call(START + 20 * MINUTE, { user: "eve", address: "198.51.100.7" }))],
    },
    { threshold: "sprayedFailures", low: 30, high: 31, facts: sprayed(10, 1_000) },
    { threshold: "sprayedUsers", low: 10, high: 11, facts: sprayed(10, 1_000) },
    { threshold: "sprayedMinutes", low: 15, high: 14, facts: sprayed(10, 29_000) },
    {
      threshold: "rejections",
      low: 3,
      high: 4,
      facts: [0, 10, 20].map((at) => factOf(events.credentialsRefused(START + at * MINUTE))),
    },
  ],
  unusual_api_usage: [
    {
      threshold: "calls",
      low: 20,
      high: 21,
      facts: calls(20),
      input: { baseline: quiet, baselineOfUser: () => quiet },
    },
    {
      threshold: "improbability",
      low: 8,
      high: 9,
      facts: calls(12),
      input: { baseline: quiet, baselineOfUser: () => quiet },
      others: { calls: 10 },
    },
  ],
  rate_limit_violations: [
    { threshold: "rejections", low: 4, high: 5, facts: limited(4) },
    { threshold: "windowMinutes", low: 21, high: 20, facts: limited(3, 10) },
    { threshold: "sharePercent", low: 4, high: 5, facts: [...limited(2, 30), ...operations({}, 38)] },
    {
      threshold: "requests",
      low: 40,
      high: 41,
      facts: [...limited(2, 30), ...operations({}, 38)],
      others: { sharePercent: 4 },
    },
    { threshold: "waitMs", low: 2_000, high: 2_001, facts: operations({ pacedMs: 2_000 }, 3) },
  ],
  permission_escalation: [
    { threshold: "permissions", low: 4, high: 5, facts: denials(4) },
    { threshold: "windowMinutes", low: 41, high: 40, facts: denials(3, 20) },
  ],
  abnormal_sync_frequency: [
    { threshold: "runs", low: 11, high: 12, input: { runs: runs(11), runBaseline: quiet } },
    { threshold: "improbability", low: 7, high: 8, input: { runs: runs(11), runBaseline: quiet } },
  ],
  sync_silence: [{ threshold: "intervals", low: 3, high: 4, input: silent(3) }],
  system_errors: [
    {
      threshold: "failures",
      low: 4,
      high: 5,
      facts: [0, 1, 2, 3].map((at) => factOf(events.storeFailure(START + at * MINUTE))),
    },
    {
      threshold: "windowMinutes",
      low: 21,
      high: 20,
      facts: [0, 10, 20].map((at) => factOf(events.storeFailure(START + at * MINUTE))),
    },
  ],
};

describe.each(Object.entries(examples))("the thresholds of %s", (rule, ofRule) => {
  it("all have an example here", () => {
    const spec = rules.find(({ id }) => id === rule)?.thresholds ?? {};
    expect(ofRule.map(({ threshold }) => threshold)).toEqual(Object.keys(spec));
  });

  it.each(ofRule)("count: $threshold", ({ threshold, low, high, facts = [], input, others }) => {
    const found = (value: number) => {
      const settings = set(rule, { thresholds: { ...others, [threshold]: value } });
      const { findings } = judgeHour(inputOf(facts, input), hourlyRules, settings);
      return JSON.stringify(
        findings
          .filter((one) => one.rule === rule)
          .map(({ subject, level, title, evidence }) => [subject, level, title, evidence.count]),
      );
    };
    expect(found(low)).not.toBe(found(high));
    expect(found(low).length).toBeGreaterThan(found(high).length);
  });
});

describe("every threshold", () => {
  it("has whole bounds around its default, and a stored value outside counts as the nearest bound", () => {
    for (const { id, thresholds } of rules) {
      for (const [name, { default: byDefault, min, max, unit }] of Object.entries(thresholds)) {
        expect([min, byDefault, max].every(Number.isInteger)).toBe(true);
        expect([id, name, min <= byDefault, byDefault <= max, unit !== ""]).toEqual([id, name, true, true, true]);
        expect(describeThresholds(id, { [name]: max + 1 })[name]?.value).toBe(max);
        expect(describeThresholds(id, { [name]: min - 1 })[name]?.value).toBe(min);
        expect(describeThresholds(id, {})[name]?.value).toBe(byDefault);
      }
    }
  });
});
