import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createFailureMonitor } from "../../../shared/detection/failure-monitor.ts";
import type { Finding } from "../../../shared/security/alerts/finding.ts";

const START = Date.UTC(2026, 10, 21, 10, 58);
const MINUTE = 60_000;

let lines: string[];
beforeEach(() => {
  lines = [];
  jest.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
});
afterEach(() => void jest.restoreAllMocks());

const createWorld = (raise?: () => Promise<void>) => {
  const time = { now: START };
  const raised: (Finding & { organizationId: string | undefined })[] = [];
  const note = createFailureMonitor({
    raise: async (organizationId, finding) => {
      await raise?.();
      raised.push({ organizationId, ...finding });
    },
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
