/** Types of records that the key may not read, and that connections of earlier versions have never read. */
import { describe, expect, it } from "@jest/globals";
import { isOptional, type RecordType, recordTypes } from "../../../shared/records/record.ts";
import { createTable, updateItem } from "../../../shared/runtime/table.ts";
import { stateKey } from "../../../shared/sync/sync-item.ts";
import { providerError } from "../../support/provider-errors.ts";
import { createStage, NOW, RUNS, type Stage, useSyncEngine } from "./stage.ts";

const HOUR_MS = 3_600_000;
const engine = useSyncEngine();

/** The key may not read these types: neither lists nor single objects. */
const forbid = ({ world }: Stage, ...types: RecordType[]): void =>
  world.onCall(({ method, type }) => {
    const isRead = method === "listObjects" || method === "readObject";
    if (isRead && type !== undefined && types.includes(type)) throw providerError("forbidden");
  });

/** Two of each type, created before the connection, so that no event is in the feed. */
const populate = ({ world }: Stage): void => {
  for (const type of recordTypes)
    for (let i = 0; i < 2; i++) world.create(type, {}, { isSilent: true, createdAt: NOW - 86_400_000 });
};

const optional = recordTypes.filter(isOptional);

const listsIn = ({ world }: Stage): (RecordType | undefined)[] =>
  world.calls.flatMap(({ method, type }) => (method === "listObjects" ? [type] : []));

/** The state as an earlier version left it: a cursor, and nothing of the optional types. */
const asConnectedBefore = async (stage: Stage): Promise<void> => {
  forbid(stage, ...optional);
  await stage.sync();
  await updateItem(createTable(stage.client, RUNS), stateKey(stage.organizationId), {
    remove: ["readTypes", "refusedTypes"],
  });
  stage.world.onCall(() => undefined);
  stage.world.calls.length = 0;
  stage.recorded.clear();
  stage.time.now += HOUR_MS;
};

describe("a type that the key may not read", () => {
  it("is left out of a full run, which succeeds and compares the other types", async () => {
    const stage = createStage(engine);
    populate(stage);
    forbid(stage, "refunds", "payouts");
    const run = await stage.sync();
    expect(run).toMatchObject({ mode: "full", status: "succeeded", notRead: ["refunds", "payouts"] });
    expect(run.error).toBeUndefined();
    expect(run.progress.disputes).toEqual({ read: 2, written: 2 });
    expect(run.progress.refunds).toEqual({ read: 0, written: 0 });
    expect(Object.keys(run.completeness ?? {}).sort()).toEqual(
      ["customers", "disputes", "invoices", "payments", "subscriptions"].sort(),
    );
    await expect(stage.runs.readState(stage.organizationId)).resolves.toMatchObject({
      readTypes: ["disputes"],
      refusedTypes: { refunds: NOW, payouts: NOW },
    });
  });

  it("fails the run if it is one of the four that a key must read", async () => {
    const stage = createStage(engine);
    populate(stage);
    forbid(stage, "invoices");
    await expect(stage.sync()).resolves.toMatchObject({ status: "failed", error: { category: "authorization" } });
  });

  it("is tried again once a day, and read fully as soon as the key may", async () => {
    const stage = createStage(engine);
    populate(stage);
    forbid(stage, "refunds");
    await stage.sync();
    stage.world.calls.length = 0;
    stage.time.now = NOW + 22 * HOUR_MS;
    const soon = await stage.sync();
    expect(soon).toMatchObject({ mode: "incremental", status: "succeeded", notRead: ["refunds"] });
    expect(listsIn(stage)).toEqual([]);

    stage.time.now = NOW + 24 * HOUR_MS;
    await expect(stage.sync()).resolves.toMatchObject({ mode: "incremental", notRead: ["refunds"] });
    expect(listsIn(stage)).toEqual(["refunds"]);
    stage.time.now = NOW + 25 * HOUR_MS;
    await stage.sync();
    expect(listsIn(stage)).toEqual(["refunds"]);

    stage.world.onCall(() => undefined);
    stage.time.now = NOW + 48 * HOUR_MS;
    const read = await stage.sync();
    expect(read).toMatchObject({ mode: "incremental", progress: { refunds: { written: 2 } } });
    expect(read).not.toHaveProperty("notRead");
    await expect(stage.runs.readState(stage.organizationId)).resolves.toMatchObject({ refusedTypes: {} });
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
  });

  it("keeps its record if a change must be read, and takes the change that needs no read", async () => {
    const stage = createStage(engine);
    const id = stage.world.create("refunds", { status: "pending" }, { isSilent: true, createdAt: NOW - 86_400_000 });
    await stage.sync();
    forbid(stage, "refunds");
    stage.time.now += HOUR_MS;
    stage.world.touch("refunds", id);
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded", progress: { refunds: { written: 0 } } });
    stage.time.now += HOUR_MS;
    stage.world.update("refunds", id, { status: "succeeded" });
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded", progress: { refunds: { written: 1 } } });
  });

  it("costs one refused call if the permission is taken away later, and is listed again once a day", async () => {
    const stage = createStage(engine);
    populate(stage);
    const id = stage.world.create("refunds", { status: "pending" }, { isSilent: true, createdAt: NOW - 86_400_000 });
    await stage.sync();
    forbid(stage, "refunds");
    const refused = () =>
      stage.world.calls.filter(({ method, type }) => type === "refunds" && /^(read|list)Object/.test(method)).length;
    stage.world.calls.length = 0;
    const runs = [];
    for (let hour = 1; hour <= 3; hour++) {
      stage.time.now += HOUR_MS;
      stage.world.touch("refunds", id);
      runs.push(await stage.sync());
    }
    expect(refused()).toBe(1);
    expect(runs.map(({ notRead }) => notRead)).toEqual([undefined, ["refunds"], ["refunds"]]);
    const { readTypes, refusedTypes } = await stage.runs.readState(stage.organizationId);
    expect([readTypes, refusedTypes]).toEqual([["disputes", "payouts"], { refunds: expect.any(Number) }]);

    // What changed meanwhile without an event that says how is read as soon as the key may read the type again.
    stage.world.onCall(() => undefined);
    stage.time.now += 24 * HOUR_MS;
    await expect(stage.sync()).resolves.not.toHaveProperty("notRead");
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
  });
});

describe("the first run of a connection of an earlier version", () => {
  it("reads the new types fully, and nothing else again", async () => {
    const stage = createStage(engine);
    populate(stage);
    await asConnectedBefore(stage);
    const run = await stage.sync();
    expect(run).toMatchObject({
      mode: "incremental",
      status: "succeeded",
      progress: { customers: { read: 0 }, refunds: { written: 2 }, disputes: { written: 2 }, payouts: { written: 2 } },
    });
    expect(listsIn(stage)).toEqual(["refunds", "disputes", "payouts"]);
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
    stage.time.now += HOUR_MS;
    await stage.sync();
    expect(listsIn(stage)).toHaveLength(3);
  });

  it("succeeds without an alert if the key lacks the new permissions, and syncs the other types", async () => {
    const stage = createStage(engine);
    populate(stage);
    await asConnectedBefore(stage);
    stage.world.create("customers");
    forbid(stage, ...optional);
    const run = await stage.sync();
    expect(run).toMatchObject({ status: "succeeded", notRead: optional, progress: { customers: { written: 1 } } });
    expect([...stage.recorded.values()].map(({ eventType }) => eventType)).toEqual([
      "PROVIDER_SYNC_STARTED",
      "PROVIDER_SYNC_COMPLETED",
    ]);
  });

  it("reads a type again from its beginning in the next run if the list failed", async () => {
    const stage = createStage(engine);
    populate(stage);
    await asConnectedBefore(stage);
    stage.world.onCall(({ method, type }) => {
      if (method === "listObjects" && type === "disputes") throw providerError("network");
    });
    const failed = await stage.sync();
    expect(failed).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("Read to their end: refunds, payouts. Not read") },
    });
    stage.world.onCall(() => undefined);
    stage.time.now += HOUR_MS;
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded", progress: { disputes: { written: 2 } } });
  });
});
