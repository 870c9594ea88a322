/** A worker dies at every point of a run at which it waits for anything; its delivery comes again. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { recordTypes } from "../../../shared/records/record.ts";
import { SyncRequested } from "../../../shared/sync/sync-request.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, type Io, NOW, type Stage, startSyncEngine } from "./stage.ts";

quietLog();

let engine: EmbeddedDynamoDb;
beforeAll(async () => {
  engine = await startSyncEngine();
});
afterAll(() => engine.stop());

/** Dies at the nth call: before it is made, or once it was done and nobody hears of it. */
const dieAt = (call: number, isDone: boolean): { io: Io; died: Promise<"died">; calls: () => number } => {
  const { promise: died, resolve } = Promise.withResolvers<"died">();
  let calls = 0;
  const never = new Promise<never>(() => undefined);
  const io: Io = async (_, work) => {
    calls++;
    if (calls > call) return never;
    if (calls < call) return work();
    if (isDone) await work();
    resolve("died");
    return never;
  };
  return { io, died, calls: () => calls };
};

const populate = (stage: Stage): void => {
  for (const type of recordTypes) {
    for (let i = 0; i < 3; i++) stage.world.create(type, {}, { createdAt: NOW - 86_400_000 + i * 120_000 });
  }
  const [payment = ""] = stage.world.ids("payments");
  stage.world.link(payment, "in_1");
};

type Kind = "full" | "incremental";

/** A stage at the beginning of a run, and the request for it. */
const prepare = async (kind: Kind) => {
  const stage = createStage(engine, { pageSize: 2 });
  populate(stage);
  if (kind === "incremental") {
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

/** How many calls a run makes outside of its instance, and how many pages it reads, where nothing breaks. */
const measure = async (kind: Kind): Promise<{ calls: number; pages: number }> => {
  const { stage, request } = await prepare(kind);
  const { io, calls } = dieAt(Number.POSITIVE_INFINITY, false);
  await stage.deliver(request, { using: stage.createParts(io) });
  return { calls: calls(), pages: pagesOf(stage) };
};

const requireWhole = async ({ stage, run }: Awaited<ReturnType<typeof prepare>>, kind: Kind, pages: number) => {
  const ended = (await stage.list())[0];
  expect(ended).toMatchObject({ id: run.id, mode: kind, status: "succeeded" });
  const { stored, living } = await stage.bothSides();
  expect(stored).toEqual(living);
  expect(stage.told().sort()).toEqual([`PROVIDER_SYNC_COMPLETED sync_${kind}`, `PROVIDER_SYNC_STARTED sync_${kind}`]);
  expect(pagesOf(stage)).toBeLessThanOrEqual(pages + 1);
  await expect(stage.runs.readState(stage.organizationId)).resolves.not.toHaveProperty("run");
};

describe.each(["full", "incremental"] as const)("a worker that dies in a run that is %s", (kind) => {
  it.each([
    ["before a call is made", false],
    ["once a call was answered", true],
  ])("%s repeats at most a page: its delivery comes again, and the run ends whole, told of once", async (_, isDone) => {
    const { calls, pages } = await measure(kind);
    expect(calls).toBeGreaterThan(kind === "full" ? 30 : 8);
    for (let call = 1; call <= calls; call++) {
      const prepared = await prepare(kind);
      const { stage, request } = prepared;
      const { io, died } = dieAt(call, isDone);
      const worked = stage.deliver(request, { delivery: "the same", using: stage.createParts(io) });
      expect(await Promise.race([worked, died])).toBe("died");
      await stage.deliver(request, { delivery: "the same" });
      await requireWhole(prepared, kind, pages);
    }
  });

  it("is followed by whoever comes when its lease is over, and by nobody before", async () => {
    const { calls, pages } = await measure(kind);
    for (let call = 2; call <= calls; call += 3) {
      const prepared = await prepare(kind);
      const { stage, request } = prepared;
      const { io, died } = dieAt(call, true);
      const worked = stage.deliver(request, { using: stage.createParts(io) });
      expect(await Promise.race([worked, died])).toBe("died");
      const state = await stage.runs.readState(stage.organizationId);
      if (state.run === undefined) continue;
      await expect(stage.deliver(request)).resolves.toMatchObject({ isTaken: false });
      stage.time.now += 45_000;
      await stage.deliver(request);
      await requireWhole(prepared, kind, pages);
    }
  });
});
