import { describe, expect, it } from "@jest/globals";
import type { BusEvent } from "../../../../shared/runtime/event-bus.ts";
import { closeHoursOf, HourClosing } from "../../../../shared/security/statistics/continue-closing.ts";
import { type OpenHour, openHourShards } from "../../../../shared/security/statistics/open-hour-store.ts";
import { HOUR_MS } from "../../../../shared/terms/hours.ts";

const NOW = Date.parse("2026-11-21T12:41:00Z");
const TIMEOUT_MS = 300_000;

/** Open hours without events, each of which takes a second to close, and a bus that keeps what it takes. */
const createWorld = (hours: number, { takesMs = 1_000 } = {}) => {
  const time = { now: NOW };
  const open = new Map(Array.from({ length: hours }, (_, i) => [`scope ${i}`, openHourShards[i % 8]]));
  const waiting: HourClosing[] = [];
  const least = { remainingMs: TIMEOUT_MS };
  const invoke = (detail: HourClosing) => {
    const endsAt = time.now + TIMEOUT_MS;
    const remainingMs = () => {
      least.remainingMs = Math.min(least.remainingMs, endsAt - time.now);
      return endsAt - time.now;
    };
    return closeHoursOf(
      {
        openHours: {
          async *listAll(_last: number, shard?: string) {
            for (const [scope, of] of open) {
              if (shard === undefined || of === shard)
                yield { scope, hour: NOW - 2 * HOUR_MS, token: "t", markedAt: 0 } satisfies OpenHour;
            }
          },
          clear: async ({ scope }) => {
            time.now += takesMs;
            return open.delete(scope);
          },
        },
        rollups: { get: async () => undefined, put: async () => true, list: async () => [] },
        events: { countRange: async () => undefined },
        detection: { markUnjudged: async () => undefined },
        bus: {
          publish: async (events: readonly BusEvent[]) => {
            waiting.push(...events.map(({ detail }) => HourClosing.parse(detail)));
            return [];
          },
        },
        now: () => time.now,
        settleMs: 0,
      },
      detail,
      remainingMs,
    );
  };
  /** Invokes for each event until there is none. @returns how many invocations there were after the first. */
  const runAll = async () => {
    let invocations = 0;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await invoke(next);
      invocations++;
    }
    return invocations;
  };
  return { time, open, waiting, least, invoke, runAll };
};

describe("closing more hours than fit into an invocation", () => {
  it("continues in an invocation per shard until all are closed, and never runs into the time-out", async () => {
    const { open, waiting, least, invoke, runAll } = createWorld(1_000);
    expect(await invoke({})).toMatchObject({ isComplete: false, isHandedOver: true });
    expect(waiting.map(({ shard }) => shard)).toEqual(openHourShards);
    expect(open.size).toBeGreaterThan(0);
    expect(await runAll()).toBeGreaterThanOrEqual(8);
    expect(open.size).toBe(0);
    // Less than a second is left over for each of the eight hours that are closed at once.
    expect(least.remainingMs).toBeGreaterThan(10_000);
  });

  it("publishes nothing if the time suffices", async () => {
    const { waiting, invoke } = createWorld(100);
    expect(await invoke({})).toEqual({ closed: 100, left: 0, isComplete: true, isHandedOver: false });
    expect(waiting).toEqual([]);
  });

  it("stops when the schedule is about to start again, so that workers do not add up", async () => {
    const { time, open, invoke, runAll } = createWorld(20_000);
    await invoke({});
    await runAll();
    expect(open.size).toBeGreaterThan(0);
    expect(time.now).toBeGreaterThan(NOW + 55 * 60_000);
  });

  it("stops if a run closes nothing", async () => {
    const { waiting, invoke } = createWorld(10);
    const closing = { shard: "0", until: NOW + HOUR_MS };
    expect(await invoke(closing)).toMatchObject({ isHandedOver: false });
    const stuck = createWorld(10, { takesMs: TIMEOUT_MS });
    expect(await stuck.invoke(closing)).toMatchObject({ isHandedOver: false });
    expect(waiting).toEqual([]);
  });
});
