/**
 * A worker crashes at every call of a run, and its delivery is repeated. The accounts are small, because each crash costs
 * a whole run.
 */

import { beforeAll, describe, expect, it } from "@jest/globals";
import { type RecordType, recordTypes } from "../../../shared/records/record.ts";
import { SyncRequested } from "../../../shared/sync/sync-request.ts";
import { rangeOf } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, type Io, NOW, type Stage, useSyncEngine } from "./stage.ts";

quietLog();

const engine = useSyncEngine();

/**
 * Crashes after its nth call took effect, before the answer arrives; at 0, before the first call. The stored state is the
 * same as after a crash just before the next call.
 */
const dieAfter = (call: number): { io: Io; died: Promise<"died">; calls: () => number } => {
  const { promise: died, resolve } = Promise.withResolvers<"died">();
  let calls = 0;
  const never = new Promise<never>(() => undefined);
  const io: Io = async (_, work) => {
    const number = ++calls;
    if (number < call) return work();
    if (number === call) await work();
    if (number <= Math.max(1, call)) resolve("died");
    return never;
  };
  return { io, died, calls: () => calls };
};

/** The number of objects of each type. With pages of two, lists have two pages, one page or none. */
const objectsInFullRun: Readonly<Record<RecordType, number>> = {
  customers: 3,
  subscriptions: 0,
  invoices: 1,
  payments: 3,
  refunds: 3,
  disputes: 0,
  payouts: 1,
};

type Kind = "full" | "incremental";

const populate = ({ world }: Stage): void => {
  for (const type of recordTypes) {
    for (let i = 0; i < objectsInFullRun[type]; i++) {
      world.create(type, {}, { createdAt: NOW - 86_400_000 + i * 120_000 });
    }
  }
  const [payment = ""] = world.ids("payments");
  world.link(payment, "in_1");
};

/** A stage at the beginning of a run, and the request for it. */
const prepare = async (kind: Kind) => {
  const stage = createStage(engine, { pageSize: 2 });
  if (kind === "full") populate(stage);
  else {
    for (let i = 0; i < 2; i++) stage.world.create("customers");
    await stage.sync();
    stage.time.now += 3_600_000;
    for (let i = 0; i < 3; i++) stage.world.create("payments");
    stage.world.calls.length = 0;
    stage.recorded.clear();
  }
  const { run } = await stage.startRun({ organizationId: stage.organizationId, trigger: "manual" });
  const [event] = stage.published.splice(0);
  return { stage, run, request: SyncRequested.parse(event?.detail) };
};

const pagesOf = ({ world }: Stage): number => world.calls.filter(({ method }) => method !== "readObject").length;

/** The number of calls that leave the instance, and of pages read, in a run without a crash. */
const measure = async (kind: Kind): Promise<{ calls: number; pages: number }> => {
  const { stage, request } = await prepare(kind);
  const { io, calls } = dieAfter(Number.POSITIVE_INFINITY);
  await stage.deliver(request, { using: stage.createParts(io) });
  return { calls: calls(), pages: pagesOf(stage) };
};

const requireWhole = async ({ stage, run }: Awaited<ReturnType<typeof prepare>>, kind: Kind, pages: number) => {
  const ended = (await stage.list())[0];
  expect(ended).toMatchObject({ id: run.id, mode: kind, status: "succeeded" });
  const { stored, living } = await stage.bothSides();
  expect(stored).toEqual(living);
  expect(stage.recordedActions().sort()).toEqual([
    `PROVIDER_SYNC_COMPLETED sync_${kind}`,
    `PROVIDER_SYNC_STARTED sync_${kind}`,
  ]);
  expect(pagesOf(stage)).toBeLessThanOrEqual(pages + 1);
  await expect(stage.runs.readState(stage.organizationId)).resolves.not.toHaveProperty("run");
};

/** The calls at which workers crash, from before the first to the last. */
const callsOf = (calls: number) => rangeOf(calls + 1);

/** The calls are divided among this many tests, so that each test is short on a busy machine. */
const PARTS = [0, 1, 2, 3];

describe.each(["full", "incremental"] as const)("a worker that crashes in a run that is %s", (kind) => {
  let calls = 0;
  let pages = 0;
  beforeAll(async () => {
    ({ calls, pages } = await measure(kind));
    expect(calls).toBeGreaterThan(kind === "full" ? 50 : 12);
  });

  it.each(PARTS)(
    "repeats at most a page after the delivery is repeated, and completes the run (part %i)",
    async (part) => {
      for (const call of callsOf(calls).filter((_, index) => index % PARTS.length === part)) {
        const prepared = await prepare(kind);
        const { stage, request } = prepared;
        const { io, died } = dieAfter(call);
        const worked = stage.deliver(request, { delivery: "the same", using: stage.createParts(io) });
        expect(await Promise.race([worked, died])).toBe("died");
        await stage.deliver(request, { delivery: "the same" });
        await requireWhole(prepared, kind, pages);
      }
    },
  );
});
