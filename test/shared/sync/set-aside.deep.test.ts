import { beforeEach, describe, expect, it } from "@jest/globals";
import { setAside } from "../../../shared/records/set-aside.ts";
import { DAY_MS } from "../../../shared/terms/hours.ts";
import { providerErrors } from "../../support/fake-provider.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { createStage, useSyncEngine } from "./stage.ts";

quietLog();

const engine = useSyncEngine();

const stage = usePerTest(() => createStage(engine, { pageSize: 10 }));
beforeEach(() => {
  for (let i = 0; i < 25; i++) stage.world.create("customers", { name: `good ${i}` });
});

/** The names of the objects that events have named. */
const named = (): unknown[] =>
  [...stage.recorded.values()].flatMap(({ eventType, success, metadata }) =>
    eventType === "PROVIDER_REQUEST" && !success ? [(metadata as { objectId: string }).objectId] : [],
  );
const living = async (type: "customers" | "subscriptions") =>
  (await stage.stored(type)).filter(({ deleted }) => !deleted).length;

/** More than the store takes in one item: 400 KB. */
const TOO_MANY_ITEMS = Array.from({ length: 210 }, () => ({
  priceId: "x".repeat(2_000),
  quantity: 1,
  unitAmount: 1,
  interval: "month",
}));

describe("an object that cannot be stored", () => {
  it("is named once and counted by each run, which stores all others", async () => {
    stage.world.poison(setAside("customers", "cus_type", "type"));
    stage.world.poison({ kind: "set_aside", type: "customers", name: "(no id)", reason: "id" });
    const tooLarge = stage.world.create("subscriptions", { items: TOO_MANY_ITEMS });
    stage.world.create("subscriptions", { status: "active" });
    const first = await stage.sync();
    expect(first).toMatchObject({
      status: "succeeded",
      completeness: {
        customers: { listed: 27, stored: 25, setAside: 2, onlyListed: ["cus_type"], onlyStored: [] },
        subscriptions: { listed: 2, stored: 1, setAside: 1, onlyListed: [tooLarge], onlyStored: [] },
        invoices: { listed: 0, stored: 0 },
      },
    });
    expect(first.setAside).toBeGreaterThanOrEqual(3);
    expect(named().sort()).toEqual(["(no id)", "cus_type", tooLarge].sort());
    expect([...stage.recorded.values()].find(({ resource }) => resource === tooLarge)).toMatchObject({
      eventType: "PROVIDER_REQUEST",
      category: "integration",
      riskLevel: "LOW",
      action: "set_aside_subscription",
      resourceType: "subscription",
      errorCode: "not_storable",
      metadata: { runId: first.id, attempts: 0 },
    });
    expect(await living("customers")).toBe(25);
    expect(await living("subscriptions")).toBe(1);
    // Objects that are set aside are not read one by one.
    expect(stage.world.calls.filter(({ method }) => method === "readObject")).toEqual([]);

    const second = await stage.sync({ mode: "full" });
    expect(second).toMatchObject({ status: "succeeded", completeness: { customers: { setAside: 2 } } });
    expect((await stage.sync()).status).toBe("succeeded");
    expect(named()).toHaveLength(3);
    stage.time.now += 29 * DAY_MS;
    stage.world.create("customers");
    await stage.sync({ mode: "full" });
    expect(named()).toHaveLength(3);
    stage.time.now += 2 * DAY_MS;
    await stage.sync({ mode: "full" });
    expect(named()).toHaveLength(6);
  });

  it("keeps its record, and is stored as soon as the provider corrects it", async () => {
    const id = stage.world.create("subscriptions", { status: "active" });
    await stage.sync();
    stage.world.update("subscriptions", id, { items: TOO_MANY_ITEMS });
    stage.time.now += 1_000;
    expect(await stage.sync()).toMatchObject({ mode: "incremental", status: "succeeded", setAside: 1 });
    expect(await stage.sync({ mode: "full" })).toMatchObject({ completeness: { subscriptions: { stored: 1 } } });
    expect(await stage.stored("subscriptions")).toMatchObject([{ id, deleted: false }]);
    stage.time.now += 1_000;
    stage.world.update("subscriptions", id, { items: [], status: "past_due" });
    const healed = await stage.sync();
    expect(healed).toMatchObject({ mode: "incremental", progress: { subscriptions: { written: 1 } } });
    expect(healed).not.toHaveProperty("setAside");
    expect(named()).toEqual([id]);
  });

  it("has no more than 20 events in a run, whatever their number", async () => {
    for (let i = 0; i < 50; i++) stage.world.poison(setAside("customers", `bad_${i}`, "type"));
    expect(await stage.sync()).toMatchObject({
      status: "succeeded",
      setAside: 50,
      completeness: { customers: { listed: 75 } },
    });
    expect(named()).toHaveLength(20);
    await stage.sync({ mode: "full" });
    expect(named()).toHaveLength(20);
  });

  it("does not count as deleted if it was stored before", async () => {
    const id = stage.world.create("customers", { name: "good" });
    await stage.sync();
    stage.world.remove("customers", id, { isSilent: true });
    stage.time.now += 10_000;
    const correct = stage.world.poison(setAside("customers", id, "type"));
    const run = await stage.sync({ mode: "full" });
    expect(run).toMatchObject({
      completeness: { customers: { onlyStored: [], onlyListed: [], stored: 26, setAside: 1 } },
    });
    correct();
    await stage.sync({ mode: "full" });
    expect(await living("customers")).toBe(25);
  });

  it("is set aside if it must be read and the provider rejects the request, which is no failure of the run", async () => {
    await stage.sync();
    stage.time.now += 1_000;
    stage.world.touch("payments", "pi_1");
    const good = stage.world.create("customers", { name: "late" });
    stage.world.onCall(({ method }) => {
      if (method !== "readObject") return;
      throw providerErrors.missing();
    });
    expect(await stage.sync()).toMatchObject({ status: "succeeded", setAside: 1 });
    expect(named()).toEqual(["pi_1"]);
    expect((await stage.stored("customers")).map(({ id }) => id)).toContain(good);
    expect(await stage.stored("payments")).toEqual([]);
  });

  it("does not end the reading of others that only one side has", async () => {
    const [rejected = "", gone = ""] = stage.world.ids("customers");
    await stage.sync();
    for (const id of [rejected, gone]) stage.world.remove("customers", id, { isSilent: true });
    stage.time.now += 10_000;
    let reads = 0;
    stage.world.onCall(({ method }) => {
      if (method === "readObject" && ++reads === 1) throw providerErrors.missing();
    });
    expect(await stage.sync({ mode: "full" })).toMatchObject({ status: "succeeded", setAside: 1 });
    expect(await living("customers")).toBe(24);
    expect(named()).toEqual([rejected]);
  });
});
