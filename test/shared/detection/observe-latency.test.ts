import { beforeEach, describe, expect, it } from "@jest/globals";
import { createBaselineStore } from "../../../shared/detection/baseline-store.ts";
import { createOperationFactsStore } from "../../../shared/detection/event-facts-store.ts";
import { createLatencyObserver } from "../../../shared/detection/observe-latency.ts";
import { createRaiseFinding } from "../../../shared/detection/raise-finding.ts";
import { createRuleSettingsStore } from "../../../shared/detection/rule-settings-store.ts";
import { createWindowStore } from "../../../shared/detection/window-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, HOUR, RETENTION_DAYS, type Stage } from "./stage.ts";
import { useDetectionEngine } from "./use-detection-engine.ts";

quietLog();

const engine = useDetectionEngine();
let stage: Stage;
beforeEach(() => {
  stage = createStage(engine);
});

/** The latency observer of an instance. */
const createObserver = (raise = createRaiseFinding(stage.own.alerts)) => {
  const { client } = stage.worker();
  const observer = createLatencyObserver({
    windows: createWindowStore(createTable(client, "detection"), { retentionDays: RETENTION_DAYS }),
    baselines: createBaselineStore(createTable(client, "detection")),
    operations: createOperationFactsStore(createTable(client, "securityEvents")),
    settings: createRuleSettingsStore(createTable(client, "settings")),
    raise,
    now: () => stage.time.now,
  });
  return { ...observer, measure: countUnits(client) };
};

/** Records operations from a time on, a second apart. */
const operations = async (durations: readonly number[], from: number) => {
  const recorded: { id: string; at: number; durationMs: number }[] = [];
  for (const [i, durationMs] of durations.entries()) {
    const fields = { action: "list_events", metadata: { durationMs, attempts: 1 } };
    const event = await stage.record(fields, from + i * 1_000);
    if (event !== undefined) recorded.push({ id: event.id, at: event.timestamp, durationMs });
  }
  return recorded;
};

const times = (count: number, durationMs: number) => Array.from({ length: count }, () => durationMs);

/** Observes operations as one invocation, and flushes. */
const run = async (durations: readonly number[], from: number, observer = createObserver()) => {
  const seen = await operations(durations, from);
  for (const operation of seen) observer.observe(stage.organizationId, operation);
  const units = await observer.measure(() => observer.flush());
  return { seen, units };
};

describe("operations that become slow", () => {
  it("cause a finding once the last ten are five times as slow, even before any hour was judged", async () => {
    await operations(times(20, 100), HOUR);
    await run(times(6, 700), HOUR + 60_000);
    expect(await stage.findings()).toEqual([]);
    const { seen } = await run([700], HOUR + 120_000);
    const found = await stage.findings();
    expect(found).toMatchObject([
      { rule: "performance_degradation", subject: "provider", level: "MEDIUM", count: 1, lastSeen: HOUR + 120_000 },
    ]);
    expect(found[0]?.evidence).toMatchObject({ count: 10, meanMs: 520, baselineMs: 100, operations: 27 });
    expect(found[0]?.eventIds).toHaveLength(10);
    expect(found[0]?.eventIds).toContain(seen[0]?.id);
  });

  it("are compared with baseline days, judged hours, and later operations", async () => {
    const yesterday = HOUR - DAY_MS;
    await operations(times(8, 100), yesterday);
    await operations(times(6, 100), HOUR);
    stage.time.now = HOUR + 2 * HOUR_MS;
    await stage.own.detect([yesterday, HOUR]);
    expect(await stage.own.baselines.get(stage.scope)).toMatchObject({
      operations: [{ day: "2026-11-20", operations: 8, totalMs: 800 }],
    });
    await operations(times(5, 100), HOUR + HOUR_MS);
    await run(times(10, 900), HOUR + HOUR_MS + 60_000);
    expect((await stage.findings())[0]?.evidence).toMatchObject({ baselineMs: 100, operations: 29, meanMs: 900 });
  });

  it("cause no finding if they always were slow, are fast enough, or are too few", async () => {
    for (const [before, now] of [
      [times(20, 700), times(10, 900)],
      [times(20, 10), times(10, 499)],
      [times(9, 100), times(10, 5_000)],
    ] as const) {
      stage = createStage(engine);
      await operations(before, HOUR);
      await run(now, HOUR + 60_000);
      expect(await stage.findings()).toEqual([]);
    }
  });

  it("are counted once per hour", async () => {
    await operations(times(20, 100), HOUR);
    await run(times(10, 3_000), HOUR + 60_000);
    await run([3_000, 3_000], HOUR + 120_000);
    expect(await stage.findings()).toMatchObject([{ count: 1 }]);
    stage.time.now += HOUR_MS;
    await run([3_000], HOUR + HOUR_MS);
    expect(await stage.findings()).toMatchObject([{ count: 2 }]);
  });

  it("cost nothing while all are quick, and little if one is slow", async () => {
    await operations(times(20, 100), HOUR);
    expect((await run(times(2, 499), HOUR + 60_000)).units).toEqual({ read: 0, write: 0 });
    const { units } = await run([500], HOUR + 120_000);
    expect(units.write).toBe(0);
    expect(units.read).toBeLessThanOrEqual(6);
  });

  it("do not fail the invocation if they cannot be judged", async () => {
    await operations(times(20, 100), HOUR);
    const observer = createObserver(async () => Promise.reject(new Error("no store")));
    await run(times(10, 700), HOUR + 60_000, observer);
    expect(await stage.findings()).toEqual([]);
  });
});
