import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import { userHash } from "../../../shared/detection/detection.ts";
import { defaultRuleSettings } from "../../../shared/detection/rule-settings.ts";
import { hourlyRules } from "../../../shared/detection/rules/rules.ts";
import { SecurityAlertChanged } from "../../../shared/security/alerts/alert-publisher.ts";
import { suspiciousActivityOf } from "../../../shared/security/alerts/finding.ts";
import { SecurityReport } from "../../../shared/security/monitoring/security-report.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { isDeep } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { call, createStage, HOUR, JUDGED_AT, refusedToken, type Stage } from "./stage.ts";
import { useDetectionEngine } from "./use-detection-engine.ts";

quietLog();

const engine = useDetectionEngine();
let stage: Stage;
beforeEach(() => {
  stage = createStage(engine);
});

const MINUTE = 60_000;

/** Five refused tokens of one user, a minute apart. */
const bruteForce = async (from: number, user = "ada") => {
  for (let i = 0; i < 5; i++) await stage.record(refusedToken(user), from + i * MINUTE);
};

const windowOf = (hour: number) => stage.own.windows.get(stage.scope, hour);

describe("judging an hour", () => {
  it("raises its findings as suspicious activity of the documented shape", async () => {
    await bruteForce(HOUR + 10 * MINUTE);
    expect(await stage.own.detect([HOUR])).toEqual({ judged: 1, judgedBefore: 0, eventsRead: 5, findings: 1, left: 0 });
    const found = (await stage.findings()).map(suspiciousActivityOf);
    expect(found).toEqual([
      {
        alertId: expect.any(String),
        rule: "repeated_auth_failures",
        subject: "user:ada",
        evidence: expect.objectContaining({ count: 5, eventIds: expect.any(Array) }),
        firstSeen: HOUR + 10 * MINUTE,
        lastSeen: HOUR + 14 * MINUTE,
      },
    ]);
    expect(found[0]?.evidence.eventIds).toHaveLength(5);
    expect(SecurityReport.shape.suspiciousActivity.parse(found)).toEqual(found);
    expect(stage.published).toEqual([
      expect.objectContaining({
        detail: expect.objectContaining({ change: "raised", organizationId: stage.organizationId }),
      }),
    ]);
  });

  it("stores a result without findings, with the rules' versions", async () => {
    await stage.record({}, HOUR + 1);
    await stage.own.detect([HOUR]);
    expect(await windowOf(HOUR)).toMatchObject({
      hour: HOUR,
      judgedAt: JUDGED_AT,
      rules: Object.fromEntries(hourlyRules.map(({ id, version }) => [id, version])),
      eventsRead: 1,
      findings: [],
      finishedAt: JUDGED_AT,
    });
    expect(await stage.findings()).toEqual([]);
  });

  it("judges the next hour by changed settings, with the events before the change, and a judged one by those of then", async () => {
    const known = { networks: ["192.0.2.0/24"], users: [] };
    const settings = { ...defaultRuleSettings, known, revision: 3 };
    await bruteForce(HOUR + 10 * MINUTE);
    await stage.own.detect([HOUR]);
    expect((await windowOf(HOUR))?.settings).toBeUndefined();
    await bruteForce(HOUR + HOUR_MS + 10 * MINUTE);
    stage.time.now += HOUR_MS;
    await stage.own.rules.replace(
      stage.organizationId,
      { repeated_auth_failures: settings },
      { version: undefined, author: { changedAt: stage.time.now, changedBy: "ada" } },
    );
    await stage.own.detect([HOUR, HOUR + HOUR_MS]);
    expect(await windowOf(HOUR + HOUR_MS)).toMatchObject({
      eventsRead: 5,
      findings: [],
      settings: { repeated_auth_failures: 3 },
    });
    expect((await windowOf(HOUR))?.findings).toHaveLength(1);
    expect(await stage.findings()).toMatchObject([{ count: 1 }]);
  });

  it("counts no calls of known users into the baselines of others", async () => {
    const settings = { ...defaultRuleSettings, known: { networks: [], users: ["robot"] }, revision: 1 };
    await stage.own.rules.replace(
      stage.organizationId,
      { unusual_api_usage: settings },
      { version: undefined, author: { changedAt: HOUR, changedBy: "ada" } },
    );
    for (const user of ["robot", "robot", "ada"]) await stage.record(call(user), HOUR + MINUTE);
    await stage.own.detect([HOUR]);
    expect((await windowOf(HOUR))?.today.all).toMatchObject({ calls: 1 });
  });

  it("judges it once, even if late events arrive, and clears its mark", async () => {
    await stage.record({}, HOUR + 1);
    await stage.own.unjudged.markUnjudged(stage.scope, HOUR);
    await stage.own.detect([HOUR], { marked: [HOUR] });
    await bruteForce(HOUR + 10 * MINUTE);
    await stage.own.unjudged.markUnjudged(stage.scope, HOUR);
    expect(await stage.own.detect([HOUR])).toMatchObject({ judged: 0, judgedBefore: 1, findings: 0 });
    expect(await stage.findings()).toEqual([]);
    for await (const { scope } of stage.own.unjudged.listAll()) expect(scope).not.toBe(stage.scope);
  });

  it("leaves a mark that the dispatcher has not seen, so that it requests the hour again", async () => {
    await stage.record({}, HOUR + 1);
    await stage.own.unjudged.markUnjudged(stage.scope, HOUR);
    await stage.own.detect([HOUR], { marked: [HOUR - HOUR_MS] });
    const scopes: string[] = [];
    for await (const { scope } of stage.own.unjudged.listAll()) scopes.push(scope);
    expect(scopes).toContain(stage.scope);
  });

  it("reads the events from its start to its end, exclusive", async () => {
    for (const at of [HOUR - 1, HOUR, HOUR + HOUR_MS - 1, HOUR + HOUR_MS]) await stage.record({}, at);
    await stage.own.detect([HOUR]);
    expect((await windowOf(HOUR))?.eventsRead).toBe(2);
  });

  it("ignores expired events", async () => {
    await stage.record({}, HOUR);
    stage.time.now += 90 * DAY_MS;
    await stage.own.detect([HOUR]);
    expect((await windowOf(HOUR))?.eventsRead).toBe(0);
  });

  it("carries facts into the next hour for windows that cross it", async () => {
    await bruteForce(HOUR + HOUR_MS - 3 * MINUTE);
    stage.time.now += HOUR_MS;
    await stage.own.detect([HOUR]);
    expect(await stage.findings()).toEqual([]);
    await stage.own.detect([HOUR + HOUR_MS]);
    expect(await stage.findings()).toMatchObject([
      { rule: "repeated_auth_failures", count: 1, evidence: { count: 5 } },
    ]);
  });

  it("judges hours in order of time, in whatever order they are requested", async () => {
    await bruteForce(HOUR + HOUR_MS - 3 * MINUTE);
    stage.time.now += HOUR_MS;
    await stage.own.detect([HOUR + HOUR_MS, HOUR, HOUR]);
    expect(await stage.findings()).toMatchObject([{ evidence: { count: 5 } }]);
  });

  it("counts the same cause in two hours as two findings of one alert", async () => {
    await bruteForce(HOUR);
    await bruteForce(HOUR + HOUR_MS + 30 * MINUTE);
    stage.time.now += HOUR_MS;
    await stage.own.detect([HOUR, HOUR + HOUR_MS]);
    expect(await stage.findings()).toMatchObject([{ subject: "user:ada", count: 2, firstSeen: HOUR }]);
  });

  it("leaves hours to the next dispatch if the time runs short", async () => {
    let left = 60_000;
    const remainingMs = () => {
      left -= 25_000;
      return left;
    };
    const hours = [HOUR - 3 * HOUR_MS, HOUR - 2 * HOUR_MS, HOUR - HOUR_MS, HOUR];
    expect(await stage.own.detect(hours, {}, remainingMs)).toMatchObject({ judged: 2, left: 2 });
    expect(await windowOf(HOUR)).toBeUndefined();
    expect(await stage.own.detect(hours)).toMatchObject({ judged: 2, judgedBefore: 2 });
  });

  it("does not count events that were judged at once", async () => {
    for (const judgedAtOnce of [true, false]) {
      stage = createStage(engine);
      const blocked = { eventType: "PERMISSION_DENIED", category: "authorization", riskLevel: "HIGH" } as const;
      const metadata = { permission: "status:read", ...(judgedAtOnce && { judgedAtOnce }) };
      const by = { source: "user", userId: "ada", ipAddress: "192.0.2.7", success: false, errorCode: "40302" } as const;
      await stage.record({ ...blocked, ...by, metadata }, HOUR);
      expect(await stage.own.detect([HOUR])).toMatchObject({ eventsRead: 1, findings: judgedAtOnce ? 0 : 1 });
    }
  });

  it("marks each judged day for reports", async () => {
    const yesterday = HOUR - 11 * HOUR_MS;
    await stage.own.detect([yesterday - HOUR_MS, yesterday, HOUR, HOUR + HOUR_MS]);
    const due: string[] = [];
    for await (const { scope, period } of stage.own.reports.listAll()) {
      if (scope === stage.scope && period.kind === "compliance")
        due.push(new Date(period.from).toISOString().slice(0, 10));
    }
    expect(due.sort()).toEqual(["2026-11-20", "2026-11-21"]);
  });
});

describe("events without an organization", () => {
  it("are judged as one scope, and reported on the bus and in the log only", async () => {
    const stranger = {
      eventType: "AUTHENTICATION_FAILURE",
      category: "authentication",
      riskLevel: "HIGH",
      source: "user",
      ipAddress: "198.51.100.7",
      success: false,
    } as const;
    for (let i = 0; i < 5; i++) await stage.own.recorder.record(stranger, { timestamp: HOUR + i * MINUTE });
    const write = jest.spyOn(process.stdout, "write").mockImplementation(() => true);
    const found = await stage.own.judge("none", HOUR);
    expect(found.window).toMatchObject({ eventsRead: 5, findings: [{ subject: "address:198.51.100.7" }] });
    expect(stage.published).toEqual([
      expect.objectContaining({
        detail: expect.objectContaining({
          change: "raised",
          alert: expect.objectContaining({ rule: "repeated_auth_failures", revision: 1, evidence: expect.anything() }),
        }),
      }),
    ]);
    expect(stage.published[0]?.detail).not.toHaveProperty("organizationId");
    const lines = write.mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes('"alarm":"repeated_auth_failures"'))).toHaveLength(1);
    expect(lines.join()).not.toContain("198.51.100.7");
    // The alert's id is a digest that the address could be guessed from.
    const { alert } = SecurityAlertChanged.parse(stage.published[0]?.detail);
    for (const part of alert.id.split(/-(.*)/).filter(Boolean)) expect(lines.join()).not.toContain(part);
  });
});

describe("baselines", () => {
  /** Records calls of a user in an hour. */
  const calls = async (count: number, hour: number, fields = call("ada")) => {
    for (let i = 0; i < count; i++) await stage.record(fields, hour + i * 1_000);
  };

  it("include each day once, when the first hour of the next day is judged", async () => {
    const yesterday = HOUR - DAY_MS;
    await calls(3, yesterday);
    await calls(5, yesterday + HOUR_MS);
    await calls(2, HOUR);
    await stage.own.detect([yesterday, yesterday + HOUR_MS]);
    expect(await stage.own.baselines.get(stage.scope)).toBeUndefined();
    await stage.own.detect([HOUR]);
    const days = [{ day: "2026-11-20", calls: 8, peak: 5 }];
    expect(await stage.own.baselines.get(stage.scope)).toMatchObject({
      history: { since: yesterday, days },
      through: "2026-11-20",
    });
    const hash = userHash(stage.scope, "ada");
    const users = await stage.own.baselines.getUsers(stage.scope, [hash, "nobody"]);
    expect([...users]).toEqual([[hash, { history: { since: yesterday, days }, through: "2026-11-20" }]]);
    expect(JSON.stringify(await windowOf(HOUR))).not.toContain("ada");
  });

  if (isDeep)
    it("allow usual numbers of calls, and find unusual numbers with the updated values", async () => {
      const usual = Array.from({ length: 4 }, (_, day) => HOUR - (4 - day) * DAY_MS);
      for (const hour of usual) for (let i = 0; i < 3; i++) await calls(20, hour + i * HOUR_MS);
      await stage.own.detect(usual.flatMap((hour) => [hour, hour + HOUR_MS, hour + 2 * HOUR_MS]));
      await calls(90, HOUR, call("ada", { ipAddress: "198.51.100.9" }));
      await stage.own.detect([HOUR]);
      const [finding, ...others] = await stage.findings();
      expect(others).toEqual([]);
      expect(finding).toMatchObject({
        rule: "unusual_api_usage",
        subject: "user:ada",
        evidence: { count: 90, baselineCalls: 240, newAddresses: ["198.51.100.9"], newResources: [], newErrors: [] },
      });
      // After a peak of 40, 60 calls are more likely than one in a million.
      const other = createStage(engine);
      stage = other;
      for (const hour of usual) await calls(40, hour);
      await other.own.detect(usual);
      await calls(60, HOUR);
      await other.own.detect([HOUR]);
      expect(await other.findings()).toEqual([]);
    });
});
