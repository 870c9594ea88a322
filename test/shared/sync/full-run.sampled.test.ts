import { describe, expect, it } from "@jest/globals";
import { forEachType, recordTypes } from "../../../shared/records/record.ts";
import { createRecordStore } from "../../../shared/records/record-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { deepIt } from "../../support/deep-it.ts";
import { providerErrors } from "../../support/fake-provider.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, NOW, RECORDS, type Stage, useSyncEngine } from "./stage.ts";

quietLog();

const engine = useSyncEngine();

/** Objects of all types, a second apart. */
const populate = (stage: Stage, count: number): void => {
  for (let i = 0; i < count; i++) {
    for (const type of recordTypes) {
      stage.world.create(type, { status: "open" }, { createdAt: NOW - 86_400_000 + i * 1_000 });
    }
  }
};

describe("the first run of a connection", () => {
  it("misses nothing in a list that was empty when it was read", async () => {
    const stage = createStage(engine);
    let isOver = false;
    stage.world.onCall(({ method, type }) => {
      if (method !== "listObjects" || type !== "payments" || isOver) return;
      isOver = true;
      stage.time.now += 5_000;
      stage.world.create("customers", { name: "first" });
    });
    const { status, completeness } = await stage.sync();
    expect(status).toBe("succeeded");
    expect(completeness?.customers).toEqual({ listed: 0, stored: 1, onlyListed: [], onlyStored: [] });
    expect(stage.world.calls.filter(({ method }) => method === "readObject")).toEqual([]);
  });

  it("reads everything, compares both sides, and reports both", async () => {
    const stage = createStage(engine);
    populate(stage, 230);
    const payment = stage.world.ids("payments")[0] ?? "";
    stage.world.link(payment, "in_1");
    const run = await stage.sync({ mode: "incremental" });
    const side = { listed: 230, stored: 230, onlyListed: [], onlyStored: [] };
    expect(run).toEqual({
      id: expect.any(String),
      trigger: "manual",
      mode: "full",
      status: "succeeded",
      startedAt: NOW,
      finishedAt: NOW,
      progress: {
        // The newest second's events are read beside the lists.
        customers: { read: 231, written: 230 },
        subscriptions: { read: 231, written: 230 },
        invoices: { read: 231, written: 230 },
        payments: { read: 231, written: 230 },
        refunds: { read: 231, written: 230 },
        disputes: { read: 231, written: 230 },
        payouts: { read: 231, written: 230 },
      },
      completeness: forEachType(() => side),
    });
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
    expect(stage.recordedActions()).toEqual(["PROVIDER_SYNC_STARTED sync_full", "PROVIDER_SYNC_COMPLETED sync_full"]);
    const [started, completed] = [...stage.recorded.values()];
    expect(started).toMatchObject({
      resource: "acct_1",
      metadata: { runId: run.id, syncType: "full", batchSize: 100 },
    });
    expect(completed).toMatchObject({ success: true, metadata: { trigger: "manual", progress: run.progress } });
    await expect(stage.runs.readState(stage.organizationId)).resolves.toMatchObject({ lastSuccessAt: NOW });
  });

  deepIt("applies creations, changes and deletions during the run from the feed", async () => {
    const stage = createStage(engine);
    populate(stage, 150);
    const [changed = "", deleted = ""] = stage.world.ids("customers").reverse();
    let isOver = false;
    stage.world.onCall(({ method, type, after }) => {
      if (method !== "listObjects" || type !== "customers" || after === undefined || isOver) return;
      isOver = true;
      stage.time.now += 5_000;
      stage.world.create("customers", { name: "late" });
      stage.world.update("customers", changed, { name: "changed" });
      stage.world.remove("customers", deleted);
    });
    const run = await stage.sync();
    expect(run.status).toBe("succeeded");
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
    expect(run.completeness?.customers).toEqual({ listed: 150, stored: 150, onlyListed: [], onlyStored: [] });
  });

  deepIt(
    "applies changes in the second of the feed's newest event if events are dated earlier than answers",
    async () => {
      const stage = createStage(engine);
      stage.world.dateEventsBehind(600);
      const id = stage.world.create("customers", { name: "early" });
      stage.world.onCall(({ method, type }) => {
        if (method !== "listObjects" || type !== "payments") return;
        stage.world.onCall(() => undefined);
        stage.world.update("customers", id, { name: "late" });
      });
      await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded" });
      const records = createRecordStore(createTable(stage.client, RECORDS));
      await expect(records.get(stage.organizationId, { type: "customers", id })).resolves.toMatchObject({
        fields: { name: "late" },
      });
    },
  );

  deepIt(
    "continues by time if the object that a page starts after was deleted, and counts no object twice",
    async () => {
      const stage = createStage(engine);
      for (let i = 0; i < 250; i++) {
        stage.world.create(
          "customers",
          {},
          { isSilent: true, createdAt: NOW - 1_000_000 + Math.floor(i / 40) * 1_000 },
        );
      }
      let isOver = false;
      stage.world.onCall(({ method, type, after }) => {
        if (method !== "listObjects" || type !== "customers" || after === undefined || isOver) return;
        isOver = true;
        stage.world.remove("customers", after);
      });
      const run = await stage.sync();
      expect(run).toMatchObject({ status: "succeeded", progress: { customers: { read: 251 } } });
      const { stored, living } = await stage.bothSides();
      expect(stored).toEqual(living);
      expect(run.completeness?.customers).toMatchObject({ onlyListed: [], onlyStored: [] });
    },
  );

  deepIt("stops reading a type if all objects of a page, created in one second, are repeatedly deleted", async () => {
    const stage = createStage(engine);
    for (let i = 0; i < 250; i++) stage.world.create("customers", {}, { isSilent: true, createdAt: NOW - 1_000_000 });
    stage.world.onCall(({ type, after }) => {
      if (type === "customers" && after !== undefined) throw providerErrors.missing();
    });
    await expect(stage.sync()).resolves.toMatchObject({
      status: "failed",
      error: {
        category: "validation",
        message: expect.stringMatching(/^Read to their end: subscriptions, invoices, pay/),
      },
    });
  });

  it("reads the other types to their end if a type fails, and names the failed type", async () => {
    const stage = createStage(engine);
    populate(stage, 3);
    stage.world.create("customers");
    stage.world.onCall(({ method, type }) => {
      if (method === "listObjects" && type === "subscriptions") throw providerErrors.unavailable();
    });
    const run = await stage.sync();
    expect(run).toMatchObject({
      status: "failed",
      progress: { customers: { written: 4 }, subscriptions: { written: 0 }, payments: { written: 3 } },
      error: {
        category: "provider",
        message:
          "Read to their end: customers, invoices, payments, refunds, disputes, payouts. Not read to their end: subscriptions (The provider failed.).",
      },
    });
    expect(run.completeness).toBeUndefined();
    expect(stage.recordedActions()).toEqual(["PROVIDER_SYNC_STARTED sync_full", "PROVIDER_SYNC_FAILED sync_full"]);
    expect([...stage.recorded.values()][1]).toMatchObject({ errorKind: "provider", errorCode: "api_error" });
    // Missing objects count as missing until a full run succeeds.
    stage.world.onCall(() => undefined);
    await expect(stage.sync()).resolves.toMatchObject({ mode: "full", status: "succeeded" });
  });

  it("ends at once if the credentials are rejected", async () => {
    const stage = createStage(engine);
    populate(stage, 3);
    stage.world.onCall(({ type }) => {
      if (type === "subscriptions") throw providerErrors.refused();
    });
    const run = await stage.sync();
    expect(run).toMatchObject({ status: "failed", error: { category: "authentication" } });
    expect(stage.world.calls.filter(({ type }) => type === "invoices")).toEqual([]);
    await expect(stage.runs.readState(stage.organizationId)).resolves.not.toHaveProperty("lastSuccessAt");
  });

  it("corrects a deletion without an event, and reports differences that it cannot correct", async () => {
    const stage = createStage(engine);
    populate(stage, 20);
    await stage.sync();
    const [gone = "", hidden = ""] = stage.world.ids("invoices");
    stage.world.remove("invoices", gone, { isSilent: true });
    const { listObjects } = stage.world.provider;
    stage.world.provider.listObjects = async (type, page) => {
      const { items, next } = await listObjects(type, page);
      return { items: items.filter(({ id }) => id !== hidden), next };
    };
    const run = await stage.sync({ mode: "full" });
    expect(run).toMatchObject({ mode: "full", status: "succeeded" });
    expect(run.completeness?.invoices).toEqual({ listed: 18, stored: 19, onlyListed: [], onlyStored: [hidden] });
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
  });

  deepIt("ends no earlier than it began if another instance's clock is behind", async () => {
    const stage = createStage(engine);
    stage.world.onCall(() => {
      stage.time.now = NOW - 1_000;
    });
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded", startedAt: NOW, finishedAt: NOW });
  });

  it("succeeds for an empty account, and the next run reads the first object", async () => {
    const stage = createStage(engine);
    await expect(stage.sync()).resolves.toMatchObject({ mode: "full", status: "succeeded" });
    stage.time.now += 60_000;
    stage.world.create("customers");
    await expect(stage.sync()).resolves.toMatchObject({
      mode: "incremental",
      status: "succeeded",
      progress: { customers: { read: 1, written: 1 } },
    });
    await expect(stage.sync()).resolves.toMatchObject({ progress: { customers: { read: 0, written: 0 } } });
  });
});
