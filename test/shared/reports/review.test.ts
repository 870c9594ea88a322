import { describe, expect, it } from "@jest/globals";
import { MAX_REPORT_BYTES } from "../../../shared/reports/build-report.ts";
import { type CircuitTransition, circuitTime } from "../../../shared/reports/circuit-time.ts";
import { recommend } from "../../../shared/reports/recommendations.ts";
import { Report } from "../../../shared/reports/report.ts";
import { builtInRules } from "../../../shared/security/alerts/finding.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../shared/terms/hours.ts";
import { alertAt, MONDAY, reviewInput, runAt, SATURDAY, sampleReview } from "./samples.ts";

const WEEK_MS = 7 * DAY_MS;
const week = { from: MONDAY, to: MONDAY + WEEK_MS };

const transitions = (...steps: [at: number, to: CircuitTransition["to"], cause: string][]): CircuitTransition[] =>
  steps.map(([at, to, cause], index) => ({
    at,
    to,
    cause,
    generation: index + 1,
    from: steps[index - 1]?.[1] ?? "closed",
  }));

describe("the time that a circuit was open", () => {
  it("includes the time that an operator holds it open", () => {
    const held = transitions([MONDAY, "forced_open", "force_open"], [MONDAY + HOUR_MS, "closed", "reset"]);
    expect(circuitTime(held, undefined, week)).toEqual({
      openMs: HOUR_MS,
      forcedOpenMs: HOUR_MS,
      openings: 1,
      isExact: true,
    });
  });

  it("is limited to the week on both sides", () => {
    const held = transitions([MONDAY - HOUR_MS, "forced_open", "force_open"]);
    expect(circuitTime(held, undefined, week)).toEqual({
      openMs: WEEK_MS,
      forcedOpenMs: WEEK_MS,
      openings: 0,
      isExact: true,
    });
    const ended = transitions([MONDAY - HOUR_MS, "forced_open", "force_open"], [MONDAY, "closed", "reset"]);
    expect(circuitTime(ended, undefined, week)).toMatchObject({ openMs: 0, openings: 0 });
    const nextWeek = transitions([week.to, "forced_open", "force_open"]);
    expect(circuitTime(nextWeek, undefined, week)).toMatchObject({ openMs: 0, openings: 0 });
  });

  it("ends with the recovery time-out, even without a later transition", () => {
    const opened = transitions([MONDAY, "open", "failures"], [MONDAY + 4 * HOUR_MS, "half_open", "recovery_timeout"]);
    expect(circuitTime(opened, undefined, week)).toMatchObject({ openMs: 30_000, forcedOpenMs: 0, openings: 1 });
    expect(circuitTime(opened.slice(0, 1), undefined, week)).toMatchObject({ openMs: 30_000, isExact: true });
  });

  it("ends when a hold expires", () => {
    const held = transitions([MONDAY, "forced_open", "force_open"]);
    const hold = { generation: 1, until: MONDAY + HOUR_MS };
    expect(circuitTime(held, hold, week)).toMatchObject({ openMs: HOUR_MS, isExact: true });
    expect(circuitTime(held, { ...hold, generation: 7 }, week)).toMatchObject({ openMs: WEEK_MS });
    const noticed = transitions([MONDAY, "forced_open", "force_open"], [MONDAY + DAY_MS, "closed", "until_passed"]);
    expect(circuitTime(noticed, undefined, week)).toMatchObject({ openMs: DAY_MS, isExact: false });
  });

  it("includes the state before the first known transition", () => {
    const [, reset] = transitions(
      [MONDAY - DAY_MS, "forced_open", "force_open"],
      [MONDAY + HOUR_MS, "closed", "reset"],
    );
    expect(circuitTime(reset === undefined ? [] : [reset], undefined, week)).toMatchObject({
      openMs: HOUR_MS,
      isExact: false,
    });
    expect(circuitTime([], undefined, week)).toEqual({ openMs: 0, forcedOpenMs: 0, openings: 0, isExact: true });
  });

  it("is not exact if a transition was not recorded", () => {
    const all = transitions(
      [MONDAY, "forced_open", "force_open"],
      [MONDAY + HOUR_MS, "closed", "reset"],
      [MONDAY + 2 * HOUR_MS, "open", "failures"],
    );
    const known = all.filter(({ generation }) => generation !== 2);
    expect(circuitTime(known, undefined, week)).toMatchObject({ isExact: false, openings: 2 });
    expect(circuitTime([...all].reverse(), undefined, week)).toEqual(circuitTime(all, undefined, week));
  });
});

describe("a review", () => {
  it("compares the week with the mean of the four before", () => {
    const { week: reviewed, weeksBefore, trends, days } = sampleReview();
    expect(weeksBefore.map(({ from }) => from)).toEqual([4, 3, 2, 1].map((n) => MONDAY - n * WEEK_MS));
    expect(days).toHaveLength(35);
    const ofDays = (from: number, part: "events" | "refusals") =>
      days.filter((day) => day.from >= from && day.from < from + WEEK_MS).reduce((sum, day) => sum + day[part], 0);
    expect(reviewed.events).toBe(ofDays(MONDAY, "events"));
    for (const { from, refusals } of weeksBefore) expect(refusals).toBe(ofDays(from, "refusals"));
    const refusals = trends.find(({ measure }) => measure === "refusals");
    const before = weeksBefore.reduce((sum, one) => sum + one.refusals, 0) / 4;
    expect(refusals).toMatchObject({ value: reviewed.refusals, before, change: reviewed.refusals / before - 1 });
  });

  it("has fewer weeks before it if the retention is shorter, and then no change", () => {
    const { weeksBefore, trends, days, rules } = sampleReview({ knownFrom: MONDAY });
    expect(weeksBefore).toEqual([]);
    expect(days).toHaveLength(7);
    expect(trends.every(({ before, change }) => before === 0 && change === undefined)).toBe(true);
    expect(rules.every(({ before }) => before === 0)).toBe(true);
  });

  it("mentions no earlier weeks if there are none", () => {
    const { recommendations } = sampleReview({ knownFrom: MONDAY });
    expect(recommendations.length).toBeGreaterThan(5);
    for (const { action, because } of recommendations) expect(action + because).not.toMatch(/before[,.]|a rise/);
  });

  it("names the newest events and the address of each finding's alert", () => {
    const eventIds = Array.from({ length: 12 }, (_, n) => `event ${n}`);
    const { findings } = sampleReview({ alerts: [alertAt(MONDAY, { id: "a/b", eventIds })] });
    expect(findings).toMatchObject([
      { id: "a/b", href: "/api/integrations/provider/security/alert/a%2Fb", eventIds: eventIds.slice(0, 10) },
    ]);
  });

  it("counts alerts by level in the week in which they were first seen", () => {
    const alerts = [
      alertAt(MONDAY - 1, { level: "CRITICAL" }),
      alertAt(MONDAY, { level: "CRITICAL" }),
      alertAt(MONDAY + WEEK_MS - 1, { level: "LOW" }),
      alertAt(MONDAY + WEEK_MS, { level: "LOW" }),
    ];
    const report = sampleReview({ alerts });
    expect(report.week.alerts).toEqual({ LOW: 1, MEDIUM: 0, HIGH: 0, CRITICAL: 1 });
    expect(report.weeksBefore.at(-1)?.alerts).toMatchObject({ CRITICAL: 1 });
  });

  it("counts by rule, and lists the gravest findings first", () => {
    const alerts = [
      alertAt(MONDAY, { rule: "system_errors", level: "MEDIUM", title: "medium", count: 9 }),
      alertAt(MONDAY, { rule: "system_errors", level: "CRITICAL", title: "critical" }),
      alertAt(MONDAY - DAY_MS, { rule: "system_errors", level: "MEDIUM", title: "older", count: 2, lastSeen: MONDAY }),
      alertAt(MONDAY - DAY_MS, { rule: "system_errors", level: "MEDIUM", title: "before" }),
      alertAt(MONDAY, { rule: "event_threshold", title: "no finding" }),
      alertAt(MONDAY, { rule: "manual", title: "no finding" }),
    ];
    const { findings, rules } = sampleReview({ alerts });
    expect(findings.map(({ title }) => title)).toEqual(["critical", "medium", "older"]);
    expect(rules.map(({ rule }) => rule)).toEqual([...builtInRules]);
    expect(rules.find(({ rule }) => rule === "system_errors")).toEqual({
      rule: "system_errors",
      alerts: 2,
      findings: 12,
      before: 0.5,
    });
  });

  it("matches the schema, and fits with any number of findings", () => {
    const whole = sampleReview();
    expect(Report.parse(whole)).toEqual(whole);
    const alerts = Array.from({ length: 3_000 }, (_, n) =>
      alertAt(MONDAY + n, { subject: `user:${"x".repeat(128)}${n}`, title: "t".repeat(256) }),
    );
    const report = sampleReview({ alerts });
    expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThanOrEqual(MAX_REPORT_BYTES);
    expect(report.findings.length + report.moreFindings).toBe(3_000);
  });
});

describe("recommendations", () => {
  const quiet = () => {
    const { days, ...input } = reviewInput();
    return sampleReview({
      ...input,
      days: new Map(),
      alerts: [],
      runs: [],
      transitions: [],
      unprocessedHighRiskEvents: 0,
    });
  };

  it("are empty for a quiet week", () => {
    expect(quiet().recommendations).toEqual([]);
  });

  it.each([...builtInRules])("include advice for the rule %s", (rule) => {
    const { recommendations } = sampleReview({
      alerts: [alertAt(SATURDAY, { rule, status: "resolved" })],
      days: new Map(),
      runs: [],
      transitions: [],
      unprocessedHighRiskEvents: 0,
    });
    expect(recommendations).toHaveLength(1);
    expect(recommendations[0]?.because).toContain(rule.replaceAll("_", " "));
  });

  it.each([
    ["unprocessed events", { unprocessedHighRiskEvents: 1 }, "1 event was unprocessed"],
    ["open alerts", { openAlerts: 2 }, "2 alerts were open"],
    [
      "a rise of refusals",
      { trends: [{ measure: "refusals" as const, value: 15, before: 10, change: 0.5 }] },
      "15 refusals",
    ],
    [
      "refusals after weeks without any",
      { trends: [{ measure: "refusals" as const, value: 10, before: 0 }] },
      "none in the weeks",
    ],
  ])("name %s", (_what, changes, because) => {
    const found = recommend({ ...quiet(), ...changes });
    expect(found).toHaveLength(1);
    expect(found[0]?.because).toContain(because);
  });

  it.each([
    ["few refusals", { trends: [{ measure: "refusals" as const, value: 9, before: 0 }] }],
    ["a small rise", { trends: [{ measure: "refusals" as const, value: 140, before: 100, change: 0.4 }] }],
  ])("leave %s alone", (_what, changes) => {
    expect(recommend({ ...quiet(), ...changes })).toEqual([]);
  });

  it("name failures, held circuits and failed runs", () => {
    const about = (changes: object) =>
      recommend({ ...quiet(), week: { ...quiet().week, ...changes } }).map(({ because }) => because);
    expect(about({ events: 100, failures: 10 })).toEqual(["10 % of the week's events failed."]);
    expect(about({ events: 101, failures: 10 })).toEqual([]);
    expect(about({ syncFailures: 1 })).toEqual(["1 sync run failed, and the circuit breaker opened 0 times."]);
    const circuit = { openMs: HOUR_MS, forcedOpenMs: HOUR_MS, openings: 1, isExact: true };
    expect(about({ circuit })).toEqual(["An operator held it open for 60 minutes."]);
    expect(about({ circuit: { ...circuit, forcedOpenMs: HOUR_MS - MINUTE_MS } })).toHaveLength(1);
  });

  it("list the gravest first", () => {
    const levels = sampleReview().recommendations.map(({ level }) =>
      ["CRITICAL", "HIGH", "MEDIUM", "LOW"].indexOf(level),
    );
    expect(levels.length).toBeGreaterThan(5);
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
  });

  it("count the failed runs of each week", () => {
    const { week: reviewed, weeksBefore } = sampleReview({
      runs: [runAt(MONDAY, { status: "failed" }), runAt(MONDAY - 1, { status: "failed" }), runAt(MONDAY)],
    });
    expect([reviewed.syncFailures, weeksBefore.at(-1)?.syncFailures]).toEqual([1, 1]);
  });
});
