import { describe, expect, it } from "@jest/globals";
import { MAX_CURSOR_AGE_SECONDS } from "../../../shared/sync/feed-cursor.ts";
import { depth, sampleOf } from "../../support/depth.ts";
import { providerErrors } from "../../support/fake-provider.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, type Stage, useSyncEngine } from "./stage.ts";

quietLog();

const engine = useSyncEngine();

const HOUR = 3_600_000;

/** A stage whose first run is over. */
const synced = async (options: { skewMs?: number } = {}): Promise<Stage> => {
  const stage = createStage(engine, options);
  stage.world.create("customers", { name: "Ada" });
  stage.world.create("invoices", { status: "open" });
  await stage.sync();
  stage.time.now += HOUR;
  stage.world.calls.length = 0;
  return stage;
};

const nothing = { read: 0, written: 0 };
const quiet = { customers: nothing, subscriptions: nothing, invoices: nothing, payments: nothing };

const clocks: [string, number][] = [
  ["40 days ahead of ours", 40 * 24 * HOUR],
  ["as ours", 0],
  ["40 days behind ours", -40 * 24 * HOUR],
];

describe.each(sampleOf(clocks, 1))("a later run, the provider's clock %s", (_, skewMs) => {
  it("reads the feed once if nothing happened", async () => {
    const stage = await synced({ skewMs });
    await expect(stage.sync()).resolves.toMatchObject({ mode: "incremental", status: "succeeded", progress: quiet });
    expect(stage.world.calls).toEqual([{ method: "listEvents", after: undefined }]);
    expect(stage.recordedActions().slice(2)).toEqual([
      "PROVIDER_SYNC_STARTED sync_incremental",
      "PROVIDER_SYNC_COMPLETED sync_incremental",
    ]);
  });

  it("applies creations, changes and deletions, each event once", async () => {
    const stage = await synced({ skewMs });
    const [invoice = ""] = stage.world.ids("invoices");
    const [customer = ""] = stage.world.ids("customers");
    stage.world.update("invoices", invoice, { status: "paid" });
    stage.world.create("payments", { status: "succeeded" });
    stage.world.remove("customers", customer);
    await expect(stage.sync()).resolves.toMatchObject({
      status: "succeeded",
      progress: { ...quiet, customers: { written: 1 }, invoices: { written: 1 }, payments: { written: 1 } },
    });
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
    await expect(stage.stored("customers")).resolves.toMatchObject([{ deleted: true }]);
    await expect(stage.sync()).resolves.toMatchObject({ progress: quiet });
  });

  it("applies an event of the second up to which the last run read", async () => {
    const stage = await synced({ skewMs });
    stage.world.create("payments");
    await stage.sync();
    stage.world.create("payments");
    await expect(stage.sync()).resolves.toMatchObject({ progress: { payments: { read: 1, written: 1 } } });
    await expect(stage.sync()).resolves.toMatchObject({ progress: quiet });
  });

  it("reads an object once if its event has no state", async () => {
    const stage = await synced({ skewMs });
    const [invoice = ""] = stage.world.ids("invoices");
    stage.world.touch("invoices", invoice);
    stage.world.fieldsOf("invoices", invoice).status = "uncollectible";
    await expect(stage.sync()).resolves.toMatchObject({ progress: { invoices: { written: 1 } } });
    expect(stage.world.calls.filter(({ method }) => method === "readObject")).toHaveLength(1);
    stage.world.calls.length = 0;
    await stage.sync();
    expect(stage.world.calls).toHaveLength(1);
  });

  it("reads many pages to their end", async () => {
    const stage = await synced({ skewMs });
    const payments = depth(150, 350);
    for (let i = 0; i < payments; i++) {
      if (i % 10 === 0) stage.time.now += 1_000;
      stage.world.create("payments");
    }
    await expect(stage.sync()).resolves.toMatchObject({
      progress: { payments: { read: payments, written: payments } },
    });
    expect(stage.world.calls).toHaveLength(Math.ceil(payments / 100));
    await expect(stage.sync()).resolves.toMatchObject({ progress: quiet });
  });

  it("reads everything if the feed's newest event is too far from the cursor", async () => {
    const stage = await synced({ skewMs });
    // Our own clock, by which the last run was a moment ago, is irrelevant.
    stage.world.create("payments", {}, { createdAt: stage.clock() + skewMs + (MAX_CURSOR_AGE_SECONDS + 1) * 1_000 });
    await expect(stage.sync()).resolves.toMatchObject({ mode: "full", status: "succeeded" });
    expect(stage.world.calls.slice(0, 3)).toEqual([
      { method: "listEvents", after: undefined },
      { method: "listEvents", after: undefined },
      { method: "listObjects", type: "customers", after: undefined },
    ]);
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
  });

  it("reads everything if the feed does not reach back to the last run's events", async () => {
    const stage = await synced({ skewMs });
    const [customer = ""] = stage.world.ids("customers");
    stage.world.remove("customers", customer);
    stage.world.forgetEventsBefore(Number.MAX_SAFE_INTEGER);
    await expect(stage.sync()).resolves.toMatchObject({ mode: "full", status: "succeeded" });
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
    // Only once: the next run starts from the cursor of the empty feed.
    await expect(stage.sync()).resolves.toMatchObject({ mode: "incremental", progress: quiet });
  });

  it("reads everything if the last run was too long ago", async () => {
    const stage = await synced({ skewMs });
    stage.time.now += (MAX_CURSOR_AGE_SECONDS + 1) * 1_000;
    await expect(stage.sync()).resolves.toMatchObject({ mode: "full", status: "succeeded" });
  });
});

describe("a later run", () => {
  it("is full on demand", async () => {
    const stage = await synced();
    const run = await stage.sync({ mode: "full" });
    expect(run).toMatchObject({ mode: "full", status: "succeeded" });
    expect(run.completeness?.customers).toEqual({ listed: 1, stored: 1, onlyListed: [], onlyStored: [] });
    expect(run.progress.customers.written).toBe(0);
  });

  it("that is full finds deletions since the last run in the feed, without reading the objects again", async () => {
    const stage = await synced();
    for (let i = 0; i < 5; i++) stage.world.create("payments");
    await stage.sync();
    const [oldest = "", ...others] = stage.world.ids("payments");
    for (const id of others) stage.world.remove("payments", id);
    stage.world.calls.length = 0;
    const run = await stage.sync({ mode: "full" });
    expect(run.completeness?.payments).toEqual({ listed: 1, stored: 1, onlyListed: [], onlyStored: [] });
    expect(stage.world.calls.filter(({ method }) => method === "readObject")).toEqual([]);
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
    expect(stored).toContain(oldest);
  });

  it("reads the feed from its beginning if the event that a page starts after no longer exists", async () => {
    const stage = await synced();
    for (let i = 0; i < 250; i++) stage.world.create("payments");
    let isOver = false;
    stage.world.onCall(({ after }) => {
      if (after === undefined || isOver) return;
      isOver = true;
      throw providerErrors.missing();
    });
    await expect(stage.sync()).resolves.toMatchObject({ mode: "incremental", status: "succeeded" });
    const { stored, living } = await stage.bothSides();
    expect(stored).toEqual(living);
  });

  it("fails if the feed cannot be read, and the next run misses nothing", async () => {
    const stage = await synced();
    stage.world.create("payments");
    stage.world.onCall(() => {
      throw providerErrors.unavailable();
    });
    await expect(stage.sync()).resolves.toMatchObject({
      mode: "incremental",
      status: "failed",
      error: { category: "provider", message: "The provider failed." },
    });
    stage.world.onCall(() => undefined);
    await expect(stage.sync()).resolves.toMatchObject({ mode: "incremental", progress: { payments: { written: 1 } } });
  });

  it("makes a second cheap call if the circuit is half-open, and only then", async () => {
    const stage = await synced();
    stage.parts.access.isHalfOpen = () => true;
    await stage.sync();
    expect(stage.world.calls).toHaveLength(2);
    stage.world.calls.length = 0;
    stage.parts.access.isHalfOpen = () => false;
    await stage.sync();
    expect(stage.world.calls).toHaveLength(1);
  });

  it("skips events that webhooks have delivered already", async () => {
    const stage = await synced();
    const id = stage.world.create("payments");
    stage.world.create("payments");
    stage.connection.expectsWebhooks = true;
    stage.parts.delivered = async (_, [event = ""]) => new Set([event]);
    await expect(stage.sync()).resolves.toMatchObject({
      progress: { payments: { read: 1, written: 1 } },
      healed: 1,
    });
    await expect(stage.stored("payments")).resolves.toMatchObject([{ id }]);
  });

  it("counts no change before the connection as missed, but all changes in the second of the connection", async () => {
    const stage = await synced();
    stage.connection.expectsWebhooks = true;
    const second = Math.floor(stage.clock() / 1_000) * 1_000;
    stage.world.create("payments");
    stage.connection.connectedAt = second + 1_000;
    await expect(stage.sync()).resolves.toMatchObject({ progress: { payments: { written: 1 } }, healed: 0 });
    stage.world.create("payments");
    stage.connection.connectedAt = second + 999;
    await expect(stage.sync()).resolves.toMatchObject({ progress: { payments: { written: 1 } }, healed: 1 });
  });

  it("ends the connection if the account revoked the permission after it was made", async () => {
    const stage = await synced();
    stage.world.deauthorize();
    stage.connection.connectedAt = stage.clock() + 1_000;
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded" });
    expect(stage.disconnected).toEqual([]);
    stage.time.now += 10_000;
    stage.world.deauthorize();
    await expect(stage.sync()).resolves.toMatchObject({ status: "cancelled" });
    expect(stage.disconnected).toEqual(["connection"]);
    expect(stage.recordedActions().at(-1)).toBe("PROVIDER_SYNC_STARTED sync_incremental");
  });
});
