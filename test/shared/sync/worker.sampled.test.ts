import { describe, expect, it } from "@jest/globals";
import { CircuitOpenError } from "../../../shared/circuit-breaker/guard.ts";
import { recordTypes } from "../../../shared/records/record.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { SyncRequested, syncRequested } from "../../../shared/sync/sync-request.ts";
import { isDeep, sampleOf } from "../../support/depth.ts";
import { createTurns } from "../../support/interleaving.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, NOW, type Stage, useSyncEngine } from "./stage.ts";

quietLog();

const engine = useSyncEngine();

const populated = (pageSize = 2): Stage => {
  const stage = createStage(engine, { pageSize });
  for (const type of recordTypes) {
    for (let i = 0; i < 5; i++) stage.world.create(type, {}, { createdAt: NOW - 86_400_000 + i * 120_000 });
  }
  return stage;
};

const start = async (stage: Stage): Promise<SyncRequested> => {
  await stage.startRun({ organizationId: stage.organizationId, trigger: "manual" });
  return SyncRequested.parse(stage.published.shift()?.detail);
};

const requireWhole = async (stage: Stage): Promise<void> => {
  const runs = await stage.list();
  expect(runs.map(({ status }) => status)).toEqual(["succeeded"]);
  const { stored, living } = await stage.bothSides();
  expect(stored).toEqual(living);
  expect(stage.recordedActions()).toHaveLength(2);
};

/** The remaining time of a function, which ends after this many reads. */
const shortTime = (looks: number) => {
  let left = looks;
  return () => (left-- > 0 ? 60_000 : 14_000);
};

describe("a worker whose time is short", () => {
  it.each(isDeep ? [1, 2, 3, 5] : [3])(
    "hands over after %i steps, as often as necessary, and reads nothing twice",
    async (looks) => {
      const once = populated();
      await once.sync();
      const stage = populated();
      await stage.startRun({ organizationId: stage.organizationId, trigger: "manual" });
      let deliveries = 0;
      let before = "";
      for (let event = stage.published.shift(); event !== undefined; event = stage.published.shift()) {
        await stage.deliver(SyncRequested.parse(event.detail), { remainingMs: shortTime(looks) });
        const { run } = await stage.runs.readState(stage.organizationId);
        // Each worker continues where the previous one stopped.
        expect(JSON.stringify(run)).not.toBe(before);
        before = JSON.stringify(run);
        deliveries++;
        expect(stage.published.length).toBeLessThanOrEqual(1);
      }
      expect(deliveries).toBeGreaterThan(15 / looks);
      await requireWhole(stage);
      expect(stage.world.calls).toEqual(once.world.calls);
    },
  );

  it("leaves the run to the repetition of its own delivery if the bus refuses the request", async () => {
    const stage = populated();
    const request = await start(stage);
    const refusing = {
      ...stage.parts,
      bus: { publish: async <E>(events: readonly E[]) => events.map((event) => ({ event, reason: "no" })) },
    };
    let remaining = 100_000;
    const remainingMs = () => {
      remaining -= 10_000;
      return remaining;
    };
    await expect(stage.deliver(request, { using: refusing, remainingMs })).rejects.toThrow("did not take");
    await stage.deliver(request);
    await requireWhole(stage);
  });

  it("shows its progress", async () => {
    const stage = populated();
    const request = await start(stage);
    await stage.deliver(request, { remainingMs: shortTime(3) });
    const [run] = await stage.list();
    expect(run).toMatchObject({ status: "running", progress: { customers: { read: 4, written: 4 } } });
    expect(run).not.toHaveProperty("work");
    expect(run).not.toHaveProperty("askedBy");
  });
});

describe("deliveries", () => {
  it("that are repeated or late do nothing", async () => {
    const stage = populated();
    const request = await start(stage);
    let isOver = false;
    stage.world.onCall(async () => {
      if (isOver) return;
      isOver = true;
      await expect(stage.deliver(request)).resolves.toMatchObject({ isTaken: false, steps: 0 });
    });
    await stage.deliver(request);
    await expect(stage.deliver(request)).resolves.toMatchObject({ isTaken: false });
    await requireWhole(stage);
  });

  it.each(sampleOf([1, 2, 3, 4, 5, 6, 7, 8], 2))(
    "of one event to two concurrent workers complete one run (seed %i)",
    async (seed) => {
      const stage = populated();
      const request = await start(stage);
      const turns = createTurns(seed);
      const io = async <Result>(_: string, work: () => Promise<Result>): Promise<Result> => {
        await turns.pause();
        return work();
      };
      const worker = () => stage.deliver(request, { delivery: "the same", using: stage.createParts(io) });
      await turns.run([worker(), worker()]);
      // The last owner of the lease may have lost it because the other worker stopped. Then the run continues here.
      await stage.deliver(request, { delivery: "the same" });
      await requireWhole(stage);
    },
  );

  it("stop after a pause longer than the lease, because another worker has the run", async () => {
    const stage = populated();
    const request = await start(stage);
    let isOver = false;
    stage.world.onCall(async ({ type }) => {
      if (isOver || type !== "invoices") return;
      isOver = true;
      stage.time.now += 46_000;
      await stage.deliver(request);
    });
    await expect(stage.deliver(request)).resolves.toMatchObject({ isTaken: true, isEnded: false });
    await requireWhole(stage);
  });

  it("keep the lease while a page takes long", async () => {
    const stage = populated();
    const request = await start(stage);
    stage.world.onCall(() => {
      stage.time.now += 16_000;
    });
    const renewals: number[] = [];
    const { leases } = stage.parts;
    const renew = async (...args: Parameters<typeof leases.renew>) => {
      renewals.push(args[3]);
      await leases.renew(...args);
    };
    await stage.deliver(request, { using: { ...stage.parts, leases: { ...leases, renew } } });
    expect(renewals.length).toBeGreaterThan(10);
    await requireWhole(stage);
  });
});

describe("a run", () => {
  it("that is cancelled within a page ends at once, and its worker stops without an event", async () => {
    const stage = populated();
    const request = await start(stage);
    let isOver = false;
    stage.world.onCall(async ({ type }) => {
      if (isOver || type !== "invoices") return;
      isOver = true;
      const cancelled = await stage.runEnd.cancelActive(stage.organizationId, stage.clock());
      expect(cancelled).toMatchObject({ run: { status: "cancelled" }, quietAt: NOW + 45_000 });
      await expect(stage.list()).resolves.toMatchObject([{ status: "cancelled", finishedAt: NOW }]);
      await expect(stage.runEnd.cancelActive(stage.organizationId, stage.clock())).resolves.toBeUndefined();
    });
    await expect(stage.deliver(request)).resolves.toMatchObject({ isEnded: false });
    expect(stage.world.calls.filter(({ type }) => type === "payments")).toEqual([]);
    expect(stage.recordedActions()).toEqual(["PROVIDER_SYNC_STARTED sync_full"]);
    await expect(stage.list()).resolves.toHaveLength(1);
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded" });
  });

  it("whose connection was replaced is cancelled before it stores anything", async () => {
    const stage = populated();
    stage.connection.isOurs = false;
    await expect(stage.sync()).resolves.toMatchObject({ status: "cancelled" });
    await expect(stage.bothSides()).resolves.toMatchObject({ stored: [] });
  });

  it("that was decided and not closed keeps its cursor if the next worker has read half of the feed", async () => {
    const stage = populated(100);
    const { organizationId } = stage;
    await stage.sync();
    const { cursor } = await stage.runs.readState(organizationId);
    stage.time.now += 3_600_000;
    const { run } = await stage.startRun({ organizationId, trigger: "manual" });
    const owner = { delivery: "dead", attempt: "1" };
    await stage.leases.take(organizationId, run.id, owner, stage.clock());
    const at = { phase: "feed", after: "evt", hasMetKnown: false, restarts: 0 } as const;
    const work = { ...run.work, at, next: { createdSeconds: 9e9, known: "" } };
    await stage.leases.checkpoint(organizationId, { ...run, work }, owner, stage.clock());
    const { work: _, ...seen } = run;
    await stage.ends.decide(organizationId, { ...seen, status: "succeeded", finishedAt: stage.clock() });
    stage.time.now += 46_000;
    await stage.leases.take(organizationId, run.id, { ...owner, attempt: "2" }, stage.clock());
    await stage.deliver(syncRequested({ organizationId, runId: run.id }).detail, { delivery: "dead" });
    await expect(stage.runs.readState(organizationId)).resolves.toEqual({
      cursor,
      lastSuccessAt: NOW + 3_600_000,
      readTypes: ["refunds", "disputes", "payouts"],
      refusedTypes: {},
    });
    expect(stage.recordedActions().slice(2)).toEqual(["PROVIDER_SYNC_COMPLETED sync_incremental"]);
  });

  it("without a connection fails with an error that names it", async () => {
    const stage = populated();
    stage.connection.isThere = false;
    await expect(stage.sync()).resolves.toMatchObject({ status: "failed", error: { category: "connection" } });
    expect(stage.recordedActions()).toEqual(["PROVIDER_SYNC_FAILED sync_full"]);
    expect([...stage.recorded.values()]).toMatchObject([{ riskLevel: "MEDIUM", errorCode: "not_connected" }]);
  });

  it("fails at once, and is listed, if the circuit is open", async () => {
    const stage = populated();
    stage.world.onCall(({ type }) => {
      if (type === "subscriptions") throw new CircuitOpenError(NOW + 30_000, NOW);
    });
    await stage.deliver(syncRequested({ organizationId: stage.organizationId, slot: NOW }).detail);
    await expect(stage.list()).resolves.toMatchObject([
      {
        trigger: "scheduled",
        status: "failed",
        error: { category: "circuit_open" },
        progress: { customers: { read: 5 } },
      },
    ]);
    expect(stage.world.calls.filter(({ type }) => type === "invoices")).toEqual([]);
  });

  it("continues once the store answers, and its delivery is repeated until then", async () => {
    const stage = populated();
    const request = await start(stage);
    let isAway = true;
    const { apply } = stage.parts;
    const failing: typeof apply = async (...args) => {
      if (isAway) throw new DomainError("store_unavailable", "The store did not answer.");
      return apply(...args);
    };
    const using = { ...stage.parts, apply: failing };
    for (let i = 0; i < 3; i++) {
      await expect(stage.deliver(request, { delivery: "the same", using })).rejects.toThrow("did not answer");
    }
    isAway = false;
    await stage.deliver(request, { delivery: "the same", using });
    await requireWhole(stage);
  });

  it("ends after repeated faults of the service, without their messages", async () => {
    const stage = populated();
    const request = await start(stage);
    const using = {
      ...stage.parts,
      apply: async () => {
        throw new TypeError("secret is not a function");
      },
    };
    // Lambda's number of attempts: the first attempt made progress, the other two did not.
    for (let i = 0; i < 2; i++) {
      await expect(stage.deliver(request, { delivery: "the same", using })).rejects.toThrow(TypeError);
    }
    await stage.deliver(request, { delivery: "the same", using });
    const [run] = await stage.list();
    expect(run).toMatchObject({ status: "failed", error: { category: "system" } });
    expect(JSON.stringify([run, ...stage.recorded.values()])).not.toContain("secret");
    expect([...stage.recorded.values()].at(-1)).toMatchObject({ riskLevel: "HIGH" });
  });

  it("ends if its lease is taken again and again without progress", async () => {
    const stage = populated();
    const request = await start(stage);
    for (let i = 0; i < 6; i++) {
      await stage.leases.take(
        stage.organizationId,
        "runId" in request ? request.runId : "",
        { delivery: "x", attempt: `y${i}` },
        NOW,
      );
    }
    await stage.deliver(request, { delivery: "x" });
    await expect(stage.list()).resolves.toMatchObject([{ status: "failed", error: { category: "system" } }]);
  });
});

describe("the schedule", () => {
  it("starts one run per occurrence, however often the event is delivered", async () => {
    const stage = populated();
    const { organizationId } = stage;
    const due = (slot: number) => syncRequested({ organizationId, slot }).detail;
    await expect(stage.deliver(due(NOW))).resolves.toMatchObject({ isEnded: true });
    await expect(stage.deliver(due(NOW))).resolves.toMatchObject({ isTaken: false });
    await expect(stage.deliver(due(NOW - 1))).resolves.toMatchObject({ isTaken: false });
    stage.time.now += 14_400_000;
    await stage.deliver(due(NOW + 14_400_000));
    await expect(stage.list()).resolves.toMatchObject([
      { trigger: "scheduled", mode: "incremental", status: "succeeded" },
      { trigger: "scheduled", mode: "full", status: "succeeded" },
    ]);
    expect([...stage.recorded.values()].map(({ source }) => source)).toEqual(Array(4).fill("system"));
  });

  it("leaves a run with a worker alone, and continues a run without one", async () => {
    const stage = populated();
    const due = syncRequested({ organizationId: stage.organizationId, slot: NOW }).detail;
    await stage.startRun({ organizationId: stage.organizationId, trigger: "connection" });
    const { run } = await stage.runs.readState(stage.organizationId);
    await stage.leases.take(stage.organizationId, run?.id ?? "", { delivery: "dead", attempt: "1" }, NOW);
    await expect(stage.deliver(due)).resolves.toMatchObject({ isTaken: false });
    stage.time.now += 45_000;
    await expect(stage.deliver(due)).resolves.toMatchObject({ isEnded: true });
    await expect(stage.list()).resolves.toMatchObject([{ id: run?.id, trigger: "connection", status: "succeeded" }]);
  });
});
