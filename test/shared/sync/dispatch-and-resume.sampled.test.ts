import { describe, expect, it } from "@jest/globals";
import { connectedAfter } from "../../../shared/connection/connected-after.ts";
import { connectedShardOf, connectedShards } from "../../../shared/connection/connection-item.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { createSyncDispatcher, resumeSyncs, SyncDispatch } from "../../../shared/sync/sync-schedules.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { deepIt } from "../../support/deep-it.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, NOW, useSyncEngine } from "./stage.ts";

quietLog();

/** The dependencies of the schedule: organizations in order, a bus, and a clock that only sleeping advances. */
const createWorld = (count: number) => {
  const time = { now: NOW };
  const organizations = Array.from({ length: count }, (_, i) => `organization ${String(i).padStart(5, "0")}`);
  const published: { event: BusEvent; at: number }[] = [];
  const bus = {
    refuses: (_: BusEvent) => false as boolean,
    publish: async <Event extends BusEvent>(events: readonly Event[]) => {
      const refused = events.filter(bus.refuses);
      published.push(...events.filter((event) => !refused.includes(event)).map((event) => ({ event, at: time.now })));
      return refused.map((event) => ({ event, reason: "no" }));
    },
  };
  const dispatch = createSyncDispatcher({
    async *connectedOrganizations(after = "") {
      yield* organizations.filter((id) => id > after);
    },
    bus,
    clock: () => time.now,
    sleep: async (ms) => {
      time.now += ms;
    },
    syncIntervalMs: 4 * 3_600_000,
    occurrences: { read: async () => undefined, replace: async () => true },
  });
  const requests = () => published.filter(({ event }) => event.detailType === "SyncRequested");
  return { time, organizations, published, bus, dispatch, requests };
};

describe("the dispatch of scheduled runs", () => {
  it("requests a run for each connected organization, fifty at once and then twenty per second", async () => {
    const { dispatch, organizations, requests } = createWorld(95);
    await expect(dispatch({}, NOW, () => 900_000)).resolves.toEqual({ requested: 95, isHandedOver: false });
    expect(requests().map(({ event }) => event.detail)).toEqual(
      organizations.map((organizationId) => ({ version: 1, organizationId, slot: NOW })),
    );
    expect(requests().filter(({ at }) => at === NOW)).toHaveLength(50);
    for (let second = 0; second < 3; second++) {
      const from = NOW + second * 1_000;
      expect(requests().filter(({ at }) => at > from && at <= from + 1_000).length).toBeLessThanOrEqual(20);
    }
    expect(requests().at(-1)?.at).toBe(NOW + 2_250);
  });

  it.each([
    [1, 0],
    [50, 0],
    [51, 250],
    [65, 750],
  ])("of %i organizations takes %i ms, without a wait after the last batch", async (count, ms) => {
    const { dispatch, requests, time } = createWorld(count);
    await dispatch({}, NOW, () => 900_000);
    expect(requests()).toHaveLength(count);
    expect(time.now - NOW).toBe(ms);
  });

  deepIt("requests more per second if the schedule would not end within half of its interval", async () => {
    const { dispatch, requests, time } = createWorld(300_000);
    await dispatch({}, NOW, () => 86_400_000);
    expect(requests()).toHaveLength(300_000);
    expect(time.now - NOW).toBeLessThanOrEqual(2 * 3_600_000);
    expect(time.now - NOW).toBeGreaterThan(1.8 * 3_600_000);
  });

  it("hands over if its time is short, and requests each remaining run once", async () => {
    const { dispatch, published, requests, time } = createWorld(10_000);
    let continuation: SyncDispatch = {};
    let invocations = 0;
    for (let isOver = false; !isOver; invocations++) {
      const endsAt = time.now + 120_000;
      const { isHandedOver } = await dispatch(continuation, NOW, () => endsAt - time.now);
      isOver = !isHandedOver;
      if (isHandedOver) continuation = SyncDispatch.parse(published.at(-1)?.event.detail);
    }
    expect(invocations).toBeGreaterThan(4);
    expect(requests()).toHaveLength(10_000);
    expect(new Set(requests().map(({ event }) => JSON.stringify(event.detail))).size).toBe(10_000);
    // A schedule never fires more often than hourly.
    expect(time.now - NOW).toBeLessThan(3_600_000);
  });

  it("repeats the events that the bus refused, and fails if the bus keeps refusing", async () => {
    const { dispatch, bus, requests } = createWorld(12);
    let refusals = 3;
    bus.refuses = ({ detail }) => JSON.stringify(detail).includes("00007") && refusals-- > 0;
    await dispatch({}, NOW, () => 900_000);
    expect(requests()).toHaveLength(12);
    bus.refuses = () => true;
    await expect(dispatch({}, NOW, () => 900_000)).rejects.toThrow("does not take");
  });

  it("without organizations publishes nothing", async () => {
    const { dispatch, published } = createWorld(0);
    await expect(dispatch({}, NOW, () => 900_000)).resolves.toEqual({ requested: 0, isHandedOver: false });
    expect(published).toEqual([]);
  });
});

describe("the connected organizations after one", () => {
  it("are those after it in the index, even if it is no longer connected", async () => {
    const stored = Array.from({ length: 200 }, (_, i) => `organization ${i}`).sort((a, b) => {
      const [shardA, shardB] = [a, b].map((id) => connectedShards.indexOf(connectedShardOf(id)));
      return shardA === shardB ? (organizationKey(a) < organizationKey(b) ? -1 : 1) : (shardA ?? 0) - (shardB ?? 0);
    });
    const after = async (all: readonly string[], start?: string) => {
      const seen: string[] = [];
      async function* each() {
        yield* all;
      }
      for await (const id of connectedAfter(each(), start)) seen.push(id);
      return seen;
    };
    await expect(after(stored)).resolves.toEqual(stored);
    for (const at of [0, 7, 100, 198, 199]) {
      const gone = stored.filter((_, i) => i !== at);
      await expect(after(stored, stored[at])).resolves.toEqual(stored.slice(at + 1));
      await expect(after(gone, stored[at])).resolves.toEqual(stored.slice(at + 1));
    }
  });
});

describe("the hourly search for runs without a worker", () => {
  const engine = useSyncEngine();

  it("requests workers for these runs only", async () => {
    const [lost, dead, alive, fresh] = [
      createStage(engine),
      createStage(engine),
      createStage(engine),
      createStage(engine),
    ];
    const owner = { delivery: "dead", attempt: "1" };
    for (const stage of [lost, dead, alive]) {
      const { run } = await stage.startRun({ organizationId: stage.organizationId, trigger: "manual" });
      if (stage === dead) await stage.leases.take(stage.organizationId, run.id, owner, NOW);
      if (stage === alive) await stage.leases.take(stage.organizationId, run.id, owner, NOW + 80_000);
    }
    fresh.time.now += 60_000;
    await fresh.startRun({ organizationId: fresh.organizationId, trigger: "manual" });
    const { runs, bus, published } = lost;
    published.length = 0;
    const clock = () => NOW + 90_000;
    const dependencies = {
      ...lost.missedRuns(),
      runs,
      bus,
      clock,
      sleep: async () => undefined,
      withProofDue: () => Promise.reject(new Error("Scheduled runs prove the keys.")),
    };
    await expect(resumeSyncs(dependencies, () => 60_000)).resolves.toEqual({
      underWay: 4,
      resumed: 2,
      failed: 0,
      missed: 0,
      proofs: 0,
      activity: 0,
    });
    expect(published.map(({ detail }) => detail)).toMatchObject(
      expect.arrayContaining([lost, dead].map(({ organizationId }) => expect.objectContaining({ organizationId }))),
    );
    await expect(resumeSyncs(dependencies, () => 9_000)).resolves.toMatchObject({ resumed: 0 });
  });

  it("requests the activity of each connected account, in another order each hour", async () => {
    const { missedRuns, runs, bus, published, clock } = createStage(engine);
    const organizations = ["a", "b", "c"].map((name) => `${name} of activity`);
    const dependencies = { ...missedRuns(organizations), runs, bus, sleep: async () => undefined };
    const orderAt = async (hours: number): Promise<unknown[]> => {
      published.length = 0;
      const late = { ...dependencies, clock: () => clock() + hours * 3_600_000, withProofDue: async () => [] };
      await resumeSyncs(late, () => 60_000);
      const details = published.map(({ detail }) => detail).filter((detail) => "readActivity" in detail);
      return details.map((detail) => ("organizationId" in detail ? detail.organizationId : undefined));
    };
    const orders = [await orderAt(0), await orderAt(1), await orderAt(2)];
    for (const order of orders) expect([...order].sort()).toEqual(organizations);
    expect(new Set(orders.map(([first]) => first)).size).toBe(3);
  });

  it.each([
    [8, 0],
    [9, 2],
  ])("with syncs every %i hours requests %i proofs of keys that are due", async (hours, proofs) => {
    const { missedRuns, runs, bus, published, clock, organizationId } = createStage(engine);
    const dependencies = { ...missedRuns(), runs, bus, clock, sleep: async () => undefined };
    const due = [organizationId, `${organizationId} too`];
    const withProofDue = async (now: number) => (now === clock() ? due : []);
    const resuming = resumeSyncs({ ...dependencies, withProofDue, syncIntervalMs: hours * 3_600_000 }, () => 60_000);
    await expect(resuming).resolves.toMatchObject({ missed: 0, proofs });
    const details = published.filter(({ detail }) => "proveKey" in detail).map(({ detail }) => detail);
    expect(details).toEqual(due.slice(0, proofs).map((id) => ({ version: 1, organizationId: id, proveKey: true })));
  });
});
