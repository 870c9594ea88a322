import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createFailureMonitor } from "../../../shared/detection/failure-monitor.ts";
import { defaultRuleSettings, type RulesSettings } from "../../../shared/detection/rule-settings.ts";
import type { Finding } from "../../../shared/security/alerts/finding.ts";

const START = Date.UTC(2026, 10, 21, 10, 58);
const MINUTE = 60_000;

let lines: string[];
beforeEach(() => {
  lines = [];
  jest.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
});
afterEach(() => void jest.restoreAllMocks());

const createWorld = (raise?: () => Promise<void>, readSettings = async (): Promise<RulesSettings> => ({})) => {
  const time = { now: START };
  const raised: (Finding & { organizationId: string | undefined })[] = [];
  const note = createFailureMonitor({
    raise: async (organizationId, finding) => {
      await raise?.();
      raised.push({ organizationId, ...finding });
    },
    readSettings,
    now: () => time.now,
  });
  return { time, raised, note };
};

describe("failures of store and bus", () => {
  it("cause a finding from the third within five minutes on", async () => {
    const { time, raised, note } = createWorld();
    await note("acme", "store");
    time.now += 2 * MINUTE;
    await note("acme", "bus");
    expect(raised).toEqual([]);
    time.now += 3 * MINUTE - 1;
    await note("acme", "store");
    expect(raised).toEqual([
      expect.objectContaining({
        organizationId: "acme",
        rule: "system_errors",
        subject: "system",
        level: "HIGH",
        occurrence: "2026-11-21T11",
        firstSeen: START,
        lastSeen: START + 5 * MINUTE - 1,
        evidence: expect.objectContaining({ count: 3, store: 2, bus: 1 }),
      }),
    ]);
  });

  it("cause no finding if the first is five minutes old", async () => {
    const { time, raised, note } = createWorld();
    await note("acme", "store");
    await note("acme", "store");
    time.now += 5 * MINUTE;
    await note("acme", "store");
    expect(raised).toEqual([]);
  });

  it("are counted per organization, and separately without an organization", async () => {
    const { raised, note } = createWorld();
    for (const id of ["acme", "acme", "globex", "globex", undefined, undefined]) await note(id, "store");
    expect(raised).toEqual([]);
    await note(undefined, "bus");
    expect(raised).toMatchObject([{ organizationId: undefined, rule: "system_errors" }]);
  });

  it("raise at most one finding in five minutes", async () => {
    const { time, raised, note } = createWorld();
    for (let i = 0; i < 100; i++) await note("acme", "store");
    expect(raised).toHaveLength(1);
    time.now += 5 * MINUTE - 1;
    await note("acme", "store");
    expect(raised).toHaveLength(1);
    time.now += 1;
    for (let i = 0; i < 3; i++) await note("acme", "store");
    expect(raised).toHaveLength(2);
  });

  const settingsWith = (fields: object) => async (): Promise<RulesSettings> => ({
    system_errors: { ...defaultRuleSettings, revision: 1, ...fields },
  });

  it("follow the organization's thresholds and level", async () => {
    const set = { thresholds: { failures: 4, windowMinutes: 20 }, level: "LOW" };
    const { time, raised, note } = createWorld(undefined, settingsWith(set));
    for (let i = 0; i < 4; i++) {
      expect(raised).toEqual([]);
      time.now += 5 * MINUTE;
      await note("acme", "store");
    }
    expect(raised).toMatchObject([{ level: "LOW", evidence: { count: 4, threshold: 4, windowMs: 20 * MINUTE } }]);
  });

  it("cause no finding while the rule is off, and one once it is on", async () => {
    const rule = { enabled: false };
    const { raised, note } = createWorld(undefined, async () => settingsWith(rule)());
    for (let i = 0; i < 5; i++) await note("acme", "store");
    expect(raised).toEqual([]);
    rule.enabled = true;
    await note("acme", "store");
    expect(raised).toHaveLength(1);
  });

  it("follow the settings that were read last while the store fails", async () => {
    let isBroken = false;
    const { time, raised, note } = createWorld(undefined, async () => {
      if (isBroken) throw new Error("no store");
      return settingsWith({ thresholds: { failures: 4 } })();
    });
    for (let i = 0; i < 2; i++) await note("acme", "store");
    isBroken = true;
    time.now += MINUTE;
    await note("acme", "store");
    expect(raised).toEqual([]);
    await note("acme", "store");
    expect(raised).toHaveLength(1);
    // Another organization's settings were never read: the defaults hold.
    for (let i = 0; i < 3; i++) await note("globex", "store");
    expect(raised).toHaveLength(2);
  });

  it.each([
    ["fails", () => Promise.reject(new Error("no store"))],
    ["hangs", () => new Promise<void>(() => undefined)],
  ])("log an alarm and do not fail if the raising of their alert %s", async (_how, raise) => {
    const { note } = createWorld(raise);
    for (let i = 0; i < 3; i++) await note("acme", "store");
    expect(lines.filter((line) => line.includes('"alarm":"system_errors"'))).toHaveLength(1);
    expect(lines.join()).not.toContain("acme");
  });
});
