import { describe, expect, it } from "@jest/globals";
import { eventually, type Run } from "../support/integration.ts";
import { providerObjects, recordedState } from "../support/provider-objects.ts";
import { createRandom } from "../support/random.ts";
import { useConnected, useFresh, useService } from "../support/use-service.ts";

const MINUTE = 60_000;

const service = await useService();
const connected = useConnected(service, { name: "processing", objects: 40 });
const { provider, ours, account, sender, customerOf, settled } = connected;
const objects = useFresh(() => providerObjects(service, account.apiKey));

const recorded = () => recordedState(ours.records);
const deliver = (how: object = {}) =>
  provider.webhooks(account.accountId, {
    url: `${service.stack.webhookUrl}/${ours.organizationId}`,
    secret: sender.secret,
    ...how,
  });
/** Drops all deliveries from now on: changes are only in the feed. */
const lose = () => deliver({ drop: 1 });

describe("the simulator's deliveries", () => {
  it("apply every change at once, in order", async () => {
    await deliver();
    await provider.change(account.accountId, { count: 12, seed: 1 });
    await settled();
    expect(await recorded()).toEqual(await objects.state());
    expect(await ours.runs()).toHaveLength(1);
  });

  it.each([1, 2])("end with the last state of each object when shuffled, repeated and late (seed %i)", async (seed) => {
    await deliver({ shuffle: true, duplicate: 0.5, delayMs: 20_000, seed });
    for (let round = 0; round < 3; round++) {
      await provider.change(account.accountId, { count: 12, seed: 10 * seed + round });
      await service.advance(2_000);
    }
    // Waiting deliveries come eight at a time, out of order.
    await provider.flush();
    await settled();
    expect(await recorded()).toEqual(await objects.state());
    expect(await ours.runs()).toHaveLength(1);
  });

  it("and a concurrent full run end with the provider's state", async () => {
    await deliver({ shuffle: true, duplicate: 0.3, seed: 4 });
    await provider.fail(account.accountId, { kind: "slow", ms: 300 });
    expect((await ours.call("POST", "sync", { mode: "full" })).status).toBe(202);
    for (let round = 0; round < 4; round++) await provider.change(account.accountId, { count: 5, seed: 40 + round });
    await provider.recover();
    expect(await ours.lastRun()).toMatchObject({ mode: "full", status: "succeeded" });
    await settled();
    expect(await recorded()).toEqual(await objects.state());
  });

  it("that are dropped are repaired by the next run, which reports their number", async () => {
    await deliver();
    await provider.change(account.accountId, { action: "create_customer" });
    await lose();
    const lost = await provider.change(account.accountId, { action: "create_customer", fields: { name: "Lost" } });
    const [{ id = "" } = {}] = lost.objects;
    await settled();
    expect(await customerOf(id)).toBeUndefined();

    const run = (await ours.sync()) as Run & { healed?: number };
    expect(await customerOf(id)).toMatchObject({ name: "Lost" });
    expect(run).toMatchObject({ status: "succeeded", healed: lost.events.length });
    expect((await ours.runs())[0]).toMatchObject({ id: run.id, healed: lost.events.length });
    const [completed] = await ours.events("eventType=PROVIDER_SYNC_COMPLETED");
    expect(completed).toMatchObject({ metadata: { healed: lost.events.length } });
    expect(await ours.sync()).toMatchObject({ healed: 0 });
    expect(await recorded()).toEqual(await objects.state());
  });

  it("that arrive late start a run that searches for lost deliveries, once per hour", async () => {
    await lose();
    const lost = await provider.change(account.accountId, { action: "create_customer" });
    await deliver({ url: "http://127.0.0.1:1/" });
    const late = await provider.change(account.accountId, { action: "create_customer" });
    await service.advance(15 * MINUTE);
    await deliver();
    await settled();
    expect(await eventually("a run has looked", ours.lastRun)).toMatchObject({ trigger: "webhook_gap" });
    for (const { objects: changed } of [lost, late]) {
      expect(await customerOf(changed[0]?.id ?? "")).toMatchObject({ deleted: false });
    }
    expect(await recorded()).toEqual(await objects.state());
  });
});

describe("in any order", () => {
  it("several changes of one second end with the last one", async () => {
    const [customer] = await ours.records("customers");
    const id = customer?.id ?? "";
    for (const name of ["One", "Two", "Three", "Four"]) {
      await provider.change(account.accountId, { action: "update", id, fields: { name } });
    }
    const happened = (await objects.events()).filter(({ data }) => (data.object as { id?: string }).id === id);
    expect(happened.length).toBeGreaterThanOrEqual(4);
    const random = createRandom(7);
    for (let round = 0; round < 3; round++) {
      const order = happened.map((event) => ({ event, at: random() })).sort((a, b) => a.at - b.at);
      await Promise.all(order.map(({ event }) => sender.send(event)));
      await settled();
      expect(await customerOf(id)).toMatchObject({ name: "Four" });
    }
  });

  it("a deleted object stays deleted", async () => {
    const [customer] = await ours.records("customers");
    const id = customer?.id ?? "";
    await provider.change(account.accountId, { action: "delete", id });
    const deletion = (await objects.events()).find(({ type }) => type === "customer.deleted");
    expect(await sender.send(deletion)).toMatchObject({ status: 200 });
    await settled();
    const gone = { deleted: true, name: null, email: null };
    expect(await customerOf(id)).toMatchObject(gone);
    await service.advance(2_000);
    for (const happening of ["updated", "created"] as const) {
      const event = await sender.customerEvent(happening, id, { name: "Undead" });
      expect(await sender.send(event)).toMatchObject({ status: 200 });
      await settled();
      expect(await customerOf(id)).toMatchObject(gone);
    }
  });

  it("a deletion that arrives before the creation counts", async () => {
    const created = await sender.customerEvent("created", "cus_short_lived");
    const deleted = await sender.customerEvent("deleted", "cus_short_lived");
    expect(await sender.send(deleted)).toMatchObject({ status: 200 });
    await settled();
    expect(await sender.send(created)).toMatchObject({ status: 200 });
    await settled();
    expect((await customerOf("cus_short_lived"))?.deleted ?? true).toBe(true);
  });
});

describe("a revoked access", () => {
  it("disconnects once, and later deliveries are refused", async () => {
    await deliver();
    await provider.change(account.accountId, { action: "deauthorize" });
    await settled();
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    expect(await ours.events("eventType=PROVIDER_CONNECTION_REMOVED")).toMatchObject([{ source: "webhook" }]);
    const event = await sender.customerEvent("created", "cus_after");
    expect(await sender.send(event)).toMatchObject({ status: 400 });
    expect((await ours.records("customers")).length).toBeGreaterThan(0);
  });

  it("does not end a newer connection", async () => {
    const event = {
      ...(await sender.customerEvent("created", "unused")),
      type: "account.application.deauthorized",
      created: (await sender.nowSeconds()) - 3_600,
      account: account.accountId,
      data: { object: { id: "ca_local_platform", object: "application" } },
    };
    expect(await sender.send(event)).toMatchObject({ status: 200 });
    await settled();
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "connected" });
  });
});
