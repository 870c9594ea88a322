import { describe, expect, it } from "@jest/globals";
import { COUNT_INTERVAL_MS, createOutageCheck, MANY_CIRCUITS } from "../../../shared/circuit-breaker/check-outage.ts";
import type { OpenCircuits } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createOutageStore } from "../../../shared/circuit-breaker/outage-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { MINUTE_MS } from "../../../shared/terms/hours.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { tableDefinition } from "../../support/service-tables.ts";
import { useEngine } from "../../support/use-table.ts";

quietLog();

const engine = useEngine();
let tables = 0;

/** Function instances that share the stored outage. `circuits.counts`: how often all circuits were counted. */
const createWorld = async (connected: number) => {
  const table = `circuits-${++tables}`;
  await engine.createTables({ ...tableDefinition("circuits"), TableName: table });
  const outages = createOutageStore(createTable(engine.documentClient(), table));
  const time = { now: 1_000_000 };
  const circuits = { now: { open: 0, halfOpen: 0, held: 0, unconnected: 0 }, counts: 0 };
  const recorded: { timestamp: number | undefined; open: unknown }[] = [];
  const createInstance = () =>
    createOutageCheck({
      circuits: {
        async countOpen() {
          circuits.counts++;
          return circuits.now;
        },
      },
      outages,
      connectedOrganizations: async () => connected,
      recorder: {
        async record({ metadata }, given) {
          recorded.push({ timestamp: given?.timestamp, open: metadata?.open });
        },
      },
      clock: () => time.now,
    });
  const set = (changed: Partial<OpenCircuits>) => {
    circuits.now = { ...circuits.now, ...changed };
  };
  return { outages, table, time, circuits, recorded, createInstance, set };
};

describe("the check for an outage", () => {
  it.each([
    ["half of ten circuits opened by themselves", 10, { open: 5 }, true],
    ["fewer than half opened", 11, { open: 5 }, false],
    ["only four organizations are connected", 4, { open: 4 }, false],
    ["five organizations are connected", 5, { open: 3 }, true],
    ["operators hold the circuits open", 10, { open: 10, held: 10 }, false],
    ["too few opened in addition to those that operators hold", 10, { open: 9, held: 5 }, false],
    ["enough opened in addition to those that operators hold", 10, { open: 9, held: 4 }, true],
    ["the organizations of open circuits are not connected", 4, { open: 6, unconnected: 6 }, false],
  ])("begins one if: %s", async (_what, connected, circuits, expected) => {
    const { createInstance, set, outages } = await createWorld(connected);
    set(circuits);
    await createInstance()();
    expect((await outages.read()).outage !== undefined).toBe(expected);
  });

  it("counts after each transition while few circuits are not closed", async () => {
    const { createInstance, set, circuits, recorded } = await createWorld(MANY_CIRCUITS);
    const [one, other] = [createInstance(), createInstance()];
    set({ open: MANY_CIRCUITS / 2 - 1 });
    for (const check of [one, other, one, other]) await check();
    expect(circuits.counts).toBe(4);
    expect(recorded).toEqual([]);
    set({ open: MANY_CIRCUITS / 2 });
    await other();
    expect(recorded).toEqual([{ timestamp: 1_000_000, open: MANY_CIRCUITS / 2 }]);
  });

  it("counts a million circuits once in ten seconds for all instances", async () => {
    const { createInstance, set, circuits, recorded, time } = await createWorld(1_000_000);
    const instances = Array.from({ length: 8 }, createInstance);
    // All circuits open within two minutes, and every second each instance sees several transitions.
    for (let second = 0; second < 120; second++) {
      set({ open: Math.round(((second + 1) * 1_000_000) / 120) });
      for (let round = 0; round < 3; round++) await Promise.all(instances.map((check) => check()));
      time.now += 1_000;
    }
    // The first counts are made at once, before one of them has found that there are many.
    expect(circuits.counts).toBeLessThanOrEqual(instances.length + 12);
    expect(recorded).toHaveLength(1);
    // Half are open after 60 seconds.
    expect(recorded[0]?.timestamp).toBeLessThanOrEqual(1_000_000 + 60_000 + COUNT_INTERVAL_MS);
  });

  it("finds with the hourly sweep what happened right after a count", async () => {
    const { createInstance, set, recorded, time, outages } = await createWorld(4_000);
    const [worker, sweep] = [createInstance(), createInstance()];
    set({ open: MANY_CIRCUITS });
    await worker();
    set({ open: 3_000 });
    time.now += COUNT_INTERVAL_MS - 1;
    await worker();
    expect(recorded).toEqual([]);
    time.now += 60 * MINUTE_MS;
    await sweep();
    expect(recorded).toMatchObject([{ open: 3_000 }]);
    set({ open: 0 });
    time.now += COUNT_INTERVAL_MS - 1;
    await worker();
    expect((await outages.read()).outage).toBeDefined();
    time.now += 60 * MINUTE_MS;
    await sweep();
    expect(await outages.read()).toEqual({});
  });

  it("lets an instance count whose claim's first answer was lost", async () => {
    const { outages, table } = await createWorld(4_000);
    const proxy = await startLossyProxy(engine.endpoint);
    const lossy = createOutageStore(createTable<"circuits">(engine.clientAt(proxy.url), table));
    expect(await lossy.claimCount(1, undefined)).toBe(true);
    expect(await lossy.claimCount(2, 1)).toBe(true);
    expect(await outages.claimCount(3, 1)).toBe(false);
    proxy.stop();
  });

  it("ends the outage, and counts after each transition again, when few circuits are left", async () => {
    const { createInstance, set, circuits, time, outages } = await createWorld(4_000);
    const [one, other] = [createInstance(), createInstance()];
    set({ open: 4_000 });
    await one();
    expect(await outages.read()).toEqual({ outage: { since: time.now, isRecorded: true }, countedAt: time.now });
    set({ open: MANY_CIRCUITS - 1 });
    time.now += COUNT_INTERVAL_MS;
    await Promise.all([one(), other()]);
    expect(circuits.counts).toBe(2);
    expect(await outages.read()).toEqual({});
    time.now += COUNT_INTERVAL_MS;
    for (const check of [one, other, one]) await check();
    expect(circuits.counts).toBe(5);
  });
});
