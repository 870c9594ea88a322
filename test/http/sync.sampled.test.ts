import { beforeAll, describe, expect, it } from "@jest/globals";
import { deepIt } from "../support/deep-it.ts";
import { organizationOf } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const provider = simulatedProvider(service);

let ours: ReturnType<typeof organizationOf>;
let account: { accountId: string; apiKey: string };
/** Twenty requests of one user for a run. */
const atOnce = () => Promise.all(Array.from({ length: 20 }, () => ours.call("POST", "sync")));
const types = ["customers", "subscriptions", "invoices", "payments", "refunds", "disputes", "payouts"];

describe("sync runs", () => {
  beforeAll(async () => {
    ours = organizationOf(service, "sync");
    account = await provider.account(40, { seed: "sync" });
    await ours.connect(account.apiKey);
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded", trigger: "connection" });
  });

  it("begin with a full run that is complete and reports it", async () => {
    const first = (await ours.runs()).at(-1);
    for (const type of types) {
      const { listed, stored, onlyListed, onlyStored } = first?.completeness?.[type] ?? {};
      expect({ listed, onlyListed, onlyStored }).toEqual({ listed: stored, onlyListed: [], onlyStored: [] });
      expect(await ours.records(type)).toHaveLength(stored ?? -1);
    }
    const events = await ours.events("category=integration");
    for (const eventType of ["PROVIDER_SYNC_STARTED", "PROVIDER_SYNC_COMPLETED"]) {
      expect(events.filter((event) => event.eventType === eventType)).toMatchObject([
        { action: "sync_full", success: true, riskLevel: "LOW", resource: account.accountId, source: "user" },
      ]);
    }
  });

  it("find creations, updates and deletions with one read of the feed", async () => {
    const { objects } = await provider.change(account.accountId, {
      action: "create_customer",
      fields: { name: "Noa" },
    });
    const [deleted] = await ours.records("customers");
    await provider.change(account.accountId, { action: "delete", id: deleted?.id });
    const before = await provider.requests(account.accountId);
    expect(await ours.sync()).toMatchObject({ mode: "incremental", status: "succeeded", trigger: "manual" });
    const after = await provider.requests(account.accountId);
    expect((after["GET /v1/events"] ?? 0) - (before["GET /v1/events"] ?? 0)).toBe(1);
    const customers = await ours.records("customers");
    expect(customers.find(({ id }) => id === objects[0]?.id)).toMatchObject({ name: "Noa", deleted: false });
    expect(customers.find(({ id }) => id === deleted?.id)).toMatchObject({ name: null, email: null, deleted: true });
  });

  it("read once and write nothing if nothing is new", async () => {
    const before = await provider.requests(account.accountId);
    const { progress } = await ours.sync();
    const after = await provider.requests(account.accountId);
    const total = (requests: Record<string, number>) => Object.values(requests).reduce((sum, n) => sum + n, 0);
    expect(total(after) - total(before)).toBe(1);
    expect(Object.values(progress).map(({ written }) => written)).toEqual(Array(7).fill(0));
  });

  deepIt("answer twenty requests of a user at once, even if the run ends before the last", async () => {
    const answers = await atOnce();
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    const runs = (await ours.runs()).map(({ id }) => id);
    for (const { body } of answers) expect(runs).toContain((body as { id: string }).id);
    await ours.lastRun();
  });

  it("are one at a time, and end as cancelled when the account is disconnected", async () => {
    // The provider does not answer until it recovers, so the run is in progress on any machine.
    const fault = await provider.fail(account.accountId, { kind: "timeout" });
    const [started, ...others] = await atOnce();
    expect(started).toMatchObject({ status: 202, body: { status: "running" } });
    // The same user gets the same run, because the first answer may have been lost; another user does not.
    for (const other of others) expect(other).toMatchObject({ status: 202, body: started?.body });
    expect(await ours.call("POST", "sync")).toMatchObject({ status: 202, body: started?.body });
    for (const [body, claims, headers] of [
      [{}, { userId: "bob" }, {}],
      [{ mode: "full" }, {}, {}],
      [{}, {}, { "idempotency-key": "another" }],
    ] as const) {
      const refused = await ours.call("POST", "sync", body, claims, headers);
      expect(refused).toMatchObject({ status: 409, body: { error: 40904 } });
    }
    expect((await ours.call("DELETE", "connection")).status).toBe(204);
    expect((await ours.runs())[0]).toMatchObject({ status: "cancelled" });
    await provider.recover(fault);
    expect(await ours.call("POST", "sync")).toMatchObject({ status: 409, body: { error: 40903 } });
  });
});

describe("requests for sync runs", () => {
  beforeAll(() => {
    ours = organizationOf(service, "sync-asked-for");
  });

  it.each([
    ["member", "POST", 403],
    ["member", "GET", 200],
    ["guest", "GET", 403],
  ])("of the role %s: %s is %i", async (role, method, status) => {
    expect((await ours.call(method, "sync", undefined, { role })).status).toBe(status);
  });

  it("are refused if they are malformed", async () => {
    expect(await ours.call("POST", "sync", { mode: "half" })).toMatchObject({ status: 400, body: { error: 40002 } });
    const { status } = await ours.call("POST", "sync", {}, {}, { "idempotency-key": "x".repeat(256) });
    expect(status).toBe(400);
  });
});
