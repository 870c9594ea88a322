/**
 * Sync runs while the provider changes and workers crash, run out of time, run twice, outlive their lease or lose their run.
 * The next undisturbed run must leave the records equal to the provider's objects.
 */

import { describe, expect, it } from "@jest/globals";
import { type RecordType, recordTypes } from "../../../shared/records/record.ts";
import { createRecordStore } from "../../../shared/records/record-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { SyncRequested, syncRequested } from "../../../shared/sync/sync-request.ts";
import { resumeSyncs } from "../../../shared/sync/sync-schedules.ts";
import { createStage, type Io, RECORDS, type Stage, useSyncEngine } from "../../shared/sync/stage.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { readTestNumber } from "../../support/test-environment.ts";

quietLog();

const engine = useSyncEngine();

const HOUR = 3_600_000;

/** A change at the provider; `which` selects the object. */
type Change = { kind: "create" | "update" | "remove" | "touch"; type: RecordType; which: number; laterMs: number };

const arbitraryChange = fc.record<Change>({
  kind: fc.constantFrom("create", "update", "update", "remove", "touch"),
  type: fc.constantFrom(...recordTypes),
  which: fc.nat(100),
  // Often within one second, where events have no order.
  laterMs: fc.constantFrom(0, 0, 300, 1_000, 61_000),
});

type Undisturbed = { kind: "fine" | "short of time" | "doubled" };
type Disturbed = { kind: "dies" | "outlives its lease" | "loses its run"; at: number; isDone: boolean };

/** The fate of one delivery of a sync request. `at` counts calls out of the instance. */
type Fate = Undisturbed | Disturbed;

const arbitraryFate: fc.Arbitrary<Fate> = fc.oneof(
  fc.record({ kind: fc.constantFrom<Undisturbed["kind"]>("fine", "short of time", "doubled") }),
  fc.record({
    kind: fc.constantFrom<Disturbed["kind"]>("dies", "dies", "outlives its lease", "loses its run"),
    at: fc.integer({ min: 1, max: 60 }),
    isDone: fc.boolean(),
  }),
);

const arbitraryRun = fc.record({
  trigger: fc.constantFrom("manual", "scheduled"),
  isFull: fc.boolean(),
  /** One of these happens at each call of the provider. */
  changes: fc.array(arbitraryChange, { maxLength: 12 }),
  fates: fc.array(arbitraryFate, { minLength: 1, maxLength: 3 }),
});
type PlannedRun = typeof arbitraryRun extends fc.Arbitrary<infer Run> ? Run : never;

const change = ({ world, time }: Stage, { kind, type, which, laterMs }: Change): void => {
  time.now += laterMs;
  const ids = world.ids(type);
  const id = ids[which % Math.max(1, ids.length)];
  if (kind === "create" || id === undefined) world.create(type, { currency: `c${which}` });
  else if (kind === "update") world.update(type, id, { currency: `u${which}` });
  else if (kind === "remove") world.remove(type, id);
  else {
    world.fieldsOf(type, id).currency = `t${which}`;
    world.touch(type, id);
  }
};

/** Delivers a request with its fate. Resolves when its worker has ended or crashed. */
const deliver = async (stage: Stage, request: SyncRequested, fate: Fate, delivery: string): Promise<void> => {
  const died = Promise.withResolvers<void>();
  let calls = 0;
  const io: Io = async (_, work) => {
    calls++;
    if (!("at" in fate) || calls < fate.at) return work();
    if (calls > fate.at) return fate.kind === "dies" ? new Promise<never>(() => undefined) : work();
    if (fate.isDone && fate.kind === "dies") await work();
    if (fate.kind === "outlives its lease") {
      stage.time.now += 46_000;
      await stage.deliver(request);
    }
    if (fate.kind === "loses its run") await stage.runEnd.cancelActive(stage.organizationId, stage.clock());
    if (fate.kind !== "dies") return work();
    died.resolve();
    return new Promise<never>(() => undefined);
  };
  let looks = 3;
  const remainingMs = () => (fate.kind === "short of time" && looks-- <= 0 ? 14_000 : 300_000);
  const worker = () => stage.deliver(request, { delivery, remainingMs, using: stage.createParts(io) });
  const workers = fate.kind === "doubled" ? [worker(), worker()] : [worker()];
  await Promise.race([Promise.all(workers), died.promise]);
};

const carryOut = async (
  stage: Stage,
  { trigger, isFull, changes, fates }: PlannedRun,
  index: number,
): Promise<void> => {
  const { organizationId, published, runs, bus } = stage;
  const left = [...changes];
  stage.world.onCall(() => {
    const next = left.shift();
    if (next !== undefined) change(stage, next);
  });
  let request = syncRequested({ organizationId, slot: index }).detail;
  if (trigger === "manual") {
    await stage.startRun({ organizationId, trigger, mode: isFull ? "full" : undefined });
    request = SyncRequested.parse(published.shift()?.detail);
  }
  for (const [i, fate] of fates.entries()) {
    await deliver(stage, request, fate, `delivery ${index}`);
    // A run that was handed over is delivered with the next fate.
    const handedOver = published.shift();
    if (handedOver !== undefined)
      await deliver(
        stage,
        SyncRequested.parse(handedOver.detail),
        fates[i + 1] ?? { kind: "fine" },
        `handover ${index} ${i}`,
      );
  }
  await stage.deliverAll();
  // The hourly schedule, or the next scheduled sync, starts a worker for a run without one.
  stage.time.now += HOUR;
  await resumeSyncs(
    {
      ...stage.missedRuns([organizationId]),
      runs,
      sleep: async () => undefined,
      withProofDue: async () => [],
      bus: {
        publish: async (events) =>
          bus.publish(
            events.filter(
              ({ detail }) => JSON.stringify(detail).includes(`"${organizationId}"`) && !("readActivity" in detail),
            ),
          ),
      },
      clock: stage.clock,
    },
    () => HOUR,
  );
  await stage.deliverAll();
  await stage.deliver(syncRequested({ organizationId, slot: index }).detail);
  while (left.length > 0) change(stage, left.shift() ?? { kind: "touch", type: "payments", which: 0, laterMs: 0 });
  stage.world.onCall(() => undefined);
};

const requireRight = async (stage: Stage): Promise<void> => {
  const store = createRecordStore(createTable(stage.client, RECORDS));
  const { stored, living } = await stage.bothSides();
  expect(stored).toEqual(living);
  for (const type of recordTypes) {
    for (const id of stage.world.ids(type)) {
      const record = await store.get(stage.organizationId, { type, id });
      expect(record?.fields).toEqual(stage.world.fieldsOf(type, id));
    }
  }
  const runs = await stage.list();
  expect(runs.filter(({ status }) => status === "running")).toEqual([]);
  for (const run of runs) {
    const recordedOfRun = [...stage.recorded.values()].filter(({ metadata }) => metadata?.runId === run.id);
    const ends = recordedOfRun.map(({ eventType }) => eventType).filter((type) => type !== "PROVIDER_SYNC_STARTED");
    const end = {
      succeeded: ["PROVIDER_SYNC_COMPLETED"],
      failed: ["PROVIDER_SYNC_FAILED"],
      cancelled: [],
      running: [],
    };
    expect(ends).toEqual(end[run.status]);
    expect(recordedOfRun.length - ends.length).toBeLessThanOrEqual(1);
    if (run.status === "succeeded") expect(recordedOfRun).toHaveLength(2);
  }
};

describe("syncing", () => {
  it("leaves the records equal to the provider's objects, whatever happened before", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryChange, { maxLength: 15 }),
        fc.array(arbitraryRun, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(0, -40 * 24 * HOUR, 300_000),
        async (before, plan, skewMs) => {
          const stage = createStage(engine, { pageSize: 2, skewMs });
          for (const one of before) change(stage, one);
          for (const [index, run] of plan.entries()) await carryOut(stage, run, index + 1);
          stage.time.now += HOUR;
          const last = await stage.sync();
          expect(last.status).toBe("succeeded");
          await requireRight(stage);
          stage.world.calls.length = 0;
          await stage.sync();
          expect(stage.world.calls.every(({ method }) => method === "listEvents")).toBe(true);
        },
      ),
      {
        numRuns: readTestNumber("SYNC_RUNS", depth(2, 25)),
        seed: readTestNumber("SYNC_SEED", 6),
        endOnFailure: true,
      },
    );
  });
});
