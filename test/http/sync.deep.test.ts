/** Sync runs that fail, wait for the provider or start by the clock. */
import { describe, expect, it } from "@jest/globals";
import { organizationOf, type Run } from "../support/integration.ts";
import { useConnected, useService } from "../support/use-service.ts";

const service = await useService();
const { provider, ours, account } = useConnected(service, { name: "sync", objects: 40 });

describe("sync runs", () => {
  it("are started every four hours for connected organizations", async () => {
    await provider.change(account.accountId, { action: "create_customer" });
    await service.advance(4 * 3_600_000, "last");
    expect(await ours.lastRun()).toMatchObject({ trigger: "scheduled", status: "succeeded" });
    expect(await organizationOf(service, "sync-nobody").runs()).toEqual([]);
    await ours.call("DELETE", "connection");
    const known = (await ours.runs()).length;
    await service.advance(4 * 3_600_000, "last");
    expect(await ours.runs()).toHaveLength(known);
  });

  it("are one at a time, listed at once, and the same for the same Idempotency-Key", async () => {
    // The provider does not answer until it recovers, so the run is in progress on any machine.
    await provider.fail(account.accountId, { kind: "timeout" });
    const key = { "idempotency-key": "the-first" };
    const started = await ours.call("POST", "sync", {}, {}, key);
    expect(started).toMatchObject({ status: 202, body: { status: "running", trigger: "manual" } });
    const { id } = started.body as Run;
    expect(await ours.call("POST", "sync")).toMatchObject({ status: 409, body: { error: 40904 } });
    await provider.recover();
    expect((await ours.runs())[0]).toMatchObject({ id });
    expect((await ours.call("POST", "sync", {}, {}, key)).body).toMatchObject({ id });
    expect(await ours.call("POST", "sync", { mode: "full" }, {}, key)).toMatchObject({
      status: 409,
      body: { error: 40905 },
    });
    expect(await ours.lastRun()).toMatchObject({ id, status: "succeeded" });
    expect(await ours.sync({ mode: "full" })).toMatchObject({ mode: "full", status: "succeeded" });
  });

  it("fail while the provider fails, open the circuit, and close it once the provider has recovered", async () => {
    await provider.fail(account.accountId, { kind: "error", status: 500 });
    expect(await ours.sync()).toMatchObject({ status: "failed", error: { category: "network" } });
    const second = await ours.sync();
    expect(second).toMatchObject({ status: "failed" });
    const circuit = async () =>
      ((await ours.call("GET", "circuit-breaker")).body as { organizationStats: { state: string } }).organizationStats;
    expect(await circuit()).toMatchObject({ state: "open" });
    const refused = await ours.call("POST", "sync");
    expect(refused).toMatchObject({ status: 503, body: { error: 50303 } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);

    await provider.recover();
    await service.advance(30_000);
    expect(await circuit()).toMatchObject({ state: "half_open" });
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
    expect(await circuit()).toMatchObject({ state: "closed" });
    expect((await ours.events("eventType=PROVIDER_SYNC_FAILED")).length).toBe(2);
  });

  it("are retried if the provider limits the rate", async () => {
    await provider.fail(account.accountId, { kind: "rate_limit", times: 1, retryAfterSeconds: 0 });
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
    expect(await ours.events("eventType=RATE_LIMIT_EXCEEDED")).toEqual([]);
  });

  it("report which types were read completely if one was not", async () => {
    await provider.fail(account.accountId, { kind: "error", status: 403, pathPrefix: "/v1/invoices" });
    const run = await ours.sync({ mode: "full" });
    await provider.recover();
    expect(run).toMatchObject({ status: "failed", error: { category: "authorization" } });
    expect(run.error?.message).toContain("customers");
    expect(run.progress.payments?.read).toBeGreaterThan(0);
    expect(run.completeness).toBeUndefined();
  });
});
