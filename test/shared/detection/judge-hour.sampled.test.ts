import { describe, expect, it } from "@jest/globals";
import { type Fact, factOf } from "../../../shared/detection/evidence/fact.ts";
import { fitFindings } from "../../../shared/detection/fit-window.ts";
import { hourlyRules, judgeHour, MAX_CARRIED_PER_RULE } from "../../../shared/detection/rules/rules.ts";
import type { Finding } from "../../../shared/security/alerts/finding.ts";
import { hourName } from "../../../shared/terms/hours.ts";
import { createEvents, HOUR, MINUTE } from "../../detection/events.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { arbitraryFacts, arbitraryRuns, inputOf, START } from "./judge-hour-inputs.ts";

const HOURS = 3;
const hours = Array.from({ length: HOURS }, (_, index) => ({
  start: START + index * HOUR,
  end: START + (index + 1) * HOUR,
}));

/** Rules whose windows cross hours; the others read the hour only. */
const sliding = hourlyRules.filter(({ id }) =>
  [
    "repeated_auth_failures",
    "rate_limit_violations",
    "permission_escalation",
    "abnormal_sync_frequency",
    "system_errors",
  ].includes(id),
);

/** Per rule and subject: the events found, and the worst level. */
const gist = (findings: readonly Finding[]) => {
  const found = new Map<string, { ids: Set<string>; isCritical: boolean }>();
  for (const { rule, subject, eventIds, level } of findings) {
    const before = found.get(`${rule} ${subject}`);
    found.set(`${rule} ${subject}`, {
      ids: new Set([...(before?.ids ?? []), ...eventIds]),
      isCritical: level === "CRITICAL" || before?.isCritical === true,
    });
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { ids, isCritical }]) => [key, isCritical, [...ids].sort()]);
};

/** Too few requests for the share of rejected ones, which is judged per hour. */
const fewRequests = (facts: readonly Fact[]) => facts.reduce((sum, { attempts = 0 }) => sum + attempts, 0) < 40;

describe("judgeHour", () => {
  it("finds the same in any order of facts, and if facts are repeated", () => {
    const shuffled = arbitraryFacts(1).chain((facts) =>
      fc.tuple(
        fc.constant(facts),
        fc.shuffledSubarray([...facts, ...facts], { minLength: facts.length * 2 }),
        arbitraryRuns(1),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([facts, others, runs]) => {
        expect(judgeHour(inputOf(others, { runs: runs.toReversed() }))).toEqual(judgeHour(inputOf(facts, { runs })));
      }),
      { numRuns: depth(60, 300) },
    );
  });

  it("finds the same across hours as within one long hour", () => {
    fc.assert(
      fc.property(arbitraryFacts(HOURS), arbitraryRuns(HOURS), (facts, runs) => {
        fc.pre(fewRequests(facts));
        let carried: Fact[] = [];
        const split = hours.flatMap((hour) => {
          const judged = judgeHour(inputOf(facts, { hour, carried, runs }), sliding);
          carried = judged.carried;
          return judged.findings;
        });
        const long = judgeHour(inputOf(facts, { hour: { start: START, end: START + HOURS * HOUR }, runs }), sliding);
        expect(gist(split)).toEqual(gist(long.findings));
      }),
      { numRuns: depth(80, 400) },
    );
  });

  it("needs only the carried facts of earlier hours", () => {
    fc.assert(
      fc.property(arbitraryFacts(HOURS), arbitraryRuns(HOURS), (facts, runs) => {
        let carried: Fact[] = [];
        for (const hour of hours) {
          const everything = facts.filter(({ at }) => at < hour.start);
          const judged = judgeHour(inputOf(facts, { hour, carried, runs }));
          expect(judged.findings).toEqual(judgeHour(inputOf(facts, { hour, carried: everything, runs })).findings);
          carried = judged.carried;
        }
      }),
      { numRuns: depth(60, 300) },
    );
  });

  it("makes one finding per subject, with the events and times of its evidence", () => {
    fc.assert(
      fc.property(arbitraryFacts(2), (facts) => {
        const [first, second] = hours;
        const { carried } = judgeHour(inputOf(facts, { ...(first && { hour: first }) }));
        const hour = second ?? { start: START, end: START + HOUR };
        const { findings } = judgeHour(inputOf(facts, { hour, carried }));
        const byId = new Map(facts.map((fact) => [fact.id, fact]));
        for (const { eventIds, occurrence, evidence, firstSeen, lastSeen } of findings) {
          const evident = eventIds.map((id) => byId.get(id));
          expect(evident.length).toBeGreaterThan(0);
          expect(evident).not.toContain(undefined);
          const times = evident.flatMap((fact) => fact?.at ?? []);
          expect([firstSeen, lastSeen]).toEqual([Math.min(...times), Math.max(...times)]);
          expect(lastSeen).toBeGreaterThanOrEqual(hour.start);
          expect(occurrence).toBe(hourName(hour.start));
          expect(evidence.count).toBeGreaterThan(0);
        }
        const keys = findings.map(({ rule, subject }) => `${rule} ${subject}`);
        expect(keys).toEqual([...new Set(keys)].sort());
      }),
      { numRuns: depth(60, 300) },
    );
  });

  it("finds nothing in an empty hour", () => {
    expect(judgeHour(inputOf([]))).toEqual({ findings: [], carried: [] });
  });

  it("carries at most the newest facts of each rule", () => {
    const events = createEvents();
    const flood = Array.from({ length: 2_000 }, (_, index) => [
      events.tokenFailure(START + 50 * MINUTE + index * 100, {
        user: `user-${index}`,
        address: `192.0.2.${index % 200}`,
      }),
      events.denial(START + 50 * MINUTE + index * 100, { user: `user-${index}` }, "sync:run"),
      events.rateLimited(START + 50 * MINUTE + index * 100),
    ]).flat();
    const before = [1, 2].map((at) => events.credentialsRefused(START + at * MINUTE));
    const { carried } = judgeHour(inputOf([...before, ...flood].map(factOf)));
    expect(carried.length).toBeLessThanOrEqual(hourlyRules.length * MAX_CARRIED_PER_RULE);
    const kept = new Set(carried.map(({ id }) => id));
    // A flood of one kind does not displace other kinds: the connection's rejections are still carried.
    expect(before.every(({ id }) => kept.has(id))).toBe(true);
    expect(flood.slice(-3).every(({ id }) => kept.has(id))).toBe(true);
  });

  it("names the newest 100 events", () => {
    const events = createEvents();
    const failures = Array.from({ length: 300 }, (_, index) =>
      events.tokenFailure(START + index * 1_000, { user: "ada", address: "192.0.2.1" }),
    );
    const [finding] = judgeHour(inputOf(failures.map(factOf))).findings;
    expect(finding).toMatchObject({ subject: "user:ada", evidence: { count: 300 } });
    expect(finding?.eventIds).toEqual(failures.slice(-100).map(({ id }) => id));
  });
});

describe("findings that do not fit", () => {
  it("are one finding of their rule, of the whole time, beside the gravest", () => {
    const findings = Array.from(
      { length: 2_000 },
      (_, i): Finding => ({
        rule: "unusual_api_usage",
        title: "Calls",
        level: i === 1_000 ? "CRITICAL" : "MEDIUM",
        occurrence: hourName(START),
        subject: `user:${"x".repeat(120)}${i}`,
        eventIds: [String(i)],
        evidence: { count: 2 },
        firstSeen: START + i,
        lastSeen: START + i + 1,
      }),
    );
    const [gravest, ...others] = fitFindings(findings);
    expect(gravest).toEqual(findings[1_000]);
    expect(others.at(-1)).toMatchObject({ subject: "others", level: "MEDIUM", lastSeen: START + 2_000 });
    // The gravest are kept in their order, so the first of the others follows the last one that is kept.
    expect(others.at(-1)?.firstSeen).toBe(START + others.length - 1);
    expect(others.reduce((sum, { evidence }) => sum + evidence.count, 2)).toBe(4_000);
  });
});
