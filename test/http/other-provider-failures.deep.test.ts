import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { organizationOf, type Run } from "../support/integration.ts";
import { addEvent, failing, now, type OtherAccount, put, type Reply } from "../support/other-provider.ts";
import { useOtherProvider } from "../support/use-service.ts";

const { provider, service } = await useOtherProvider();

type Stats = { state: string; failuresInWindow: number; failedRequests: number; retryAt?: number };

let ours: ReturnType<typeof organizationOf>;
let account: OtherAccount;
let organizations = 0;
beforeEach(async () => {
  provider.behave();
  ours = organizationOf(service, `failing-${++organizations}`);
  account = provider.account();
  put(account, "customers", { id: "cus_1", created: now() - 1_000 });
  addEvent(account, "customer.created", { id: "cus_1", created: now() - 1_000 }, now() - 1_000);
  await ours.connect(account.apiKey);
  expect(await ours.lastRun()).toMatchObject({ status: "succeeded" });
});

const calls = () => provider.calls.filter(({ secret }) => secret === account.apiKey);
const circuit = async () =>
  ((await ours.call("GET", "circuit-breaker")).body as { organizationStats: Stats }).organizationStats;
const failed = async (query: string) => (await ours.events(query)).filter(({ success }) => success === false);
const whole = (reply: Reply | undefined) =>
  provider.meddle(({ path }) => (path.startsWith("/v1/") ? reply : undefined));

const wrong = (type: string, code?: string) => ({
  type,
  code,
  message: "It went wrong with sk_live_0123456789abcdefghij.",
});

describe("an operation that fails", () => {
  it.each<[string, Reply, Record<string, unknown>, { attempts: number; failures: number; category: string }]>([
    [
      "by the provider's rate limit",
      failing(429, wrong("invalid_request_error"), { "stripe-rate-limited-reason": "global-rate", "retry-after": "0" }),
      { eventType: "RATE_LIMIT_EXCEEDED", riskLevel: "HIGH", category: "integration" },
      { attempts: 3, failures: 3, category: "rate_limit" },
    ],
    [
      "by a rate limit that only the error's code shows",
      failing(429, wrong("invalid_request_error", "rate_limit")),
      { eventType: "RATE_LIMIT_EXCEEDED", riskLevel: "HIGH" },
      { attempts: 3, failures: 3, category: "rate_limit" },
    ],
    [
      "by a rate limit that only the error's type shows",
      failing(429, wrong("rate_limit_error")),
      { eventType: "RATE_LIMIT_EXCEEDED", riskLevel: "HIGH" },
      { attempts: 3, failures: 3, category: "rate_limit" },
    ],
    [
      "by the lock of one object",
      failing(429, wrong("invalid_request_error", "lock_timeout")),
      { eventType: "PROVIDER_REQUEST", riskLevel: "MEDIUM" },
      { attempts: 3, failures: 0, category: "network" },
    ],
    [
      "by a permission that the key lacks",
      failing(403, wrong("invalid_request_error")),
      { eventType: "PERMISSION_DENIED", riskLevel: "HIGH", category: "authorization" },
      { attempts: 1, failures: 0, category: "authorization" },
    ],
    [
      "by a request that the provider considers invalid",
      failing(400, wrong("invalid_request_error", "parameter_unknown")),
      { eventType: "PROVIDER_REQUEST", riskLevel: "LOW", category: "integration" },
      { attempts: 1, failures: 0, category: "validation" },
    ],
    [
      "by a failure of the provider",
      failing(500, wrong("api_error")),
      { eventType: "PROVIDER_REQUEST", riskLevel: "MEDIUM", category: "integration" },
      { attempts: 3, failures: 3, category: "network" },
    ],
    [
      "by a proxy that does not answer JSON",
      { status: 502, body: "<html>Bad Gateway</html>", headers: { "content-type": "text/html" } },
      { eventType: "PROVIDER_REQUEST", riskLevel: "MEDIUM" },
      { attempts: 3, failures: 3, category: "network" },
    ],
    [
      "by a connection that is cut",
      "reset",
      { eventType: "PROVIDER_REQUEST", riskLevel: "MEDIUM" },
      { attempts: 3, failures: 3, category: "network" },
    ],
  ])("%s is one event of its kind, counted on the wire", async (_, reply, event, { attempts, failures, category }) => {
    whole(reply);
    const before = calls().length;
    const run = await ours.sync();
    expect(run).toMatchObject({ status: "failed", error: { category } });
    const made = calls().slice(before);
    expect(made).toHaveLength(attempts);
    const [operation, ...others] = (await failed("")).filter(({ action }) => action === "list_events");
    expect(others).toEqual([]);
    expect(operation).toMatchObject({
      ...event,
      success: false,
      source: "user",
      userId: "ada",
      ipAddress: "127.0.0.1",
      resource: account.id,
      resourceType: "provider_account",
      errorCode: expect.any(String),
      metadata: { attempts, durationMs: expect.any(Number), runId: run.id },
    });
    expect(await failed("eventType=PROVIDER_SYNC_FAILED")).toMatchObject([
      {
        action: "sync_incremental",
        metadata: { runId: run.id, syncType: "incremental", durationMs: expect.any(Number) },
      },
    ]);
    expect(await circuit()).toMatchObject({ state: "closed", failuresInWindow: failures });
    expect(JSON.stringify(await ours.events()) + JSON.stringify(await ours.runs())).not.toContain("sk_live");
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "connected" });
  });

  it("by a key that is refused for good is one event of the connection, counted twice on the wire", async () => {
    whole(failing(401, wrong("invalid_request_error")));
    const before = calls().length;
    const run = await ours.sync();
    expect(run).toMatchObject({ status: "failed", error: { category: "authentication" } });
    expect(
      calls()
        .slice(before)
        .map(({ path }) => path),
    ).toEqual(["/v1/events", "/v1/account"]);
    expect(await failed("eventType=AUTHENTICATION_FAILURE")).toMatchObject([
      {
        category: "authentication",
        riskLevel: "HIGH",
        action: "require_reconnect",
        source: "user",
        userId: "ada",
        resource: account.id,
        resourceType: "provider_account",
        metadata: { runId: run.id },
      },
    ]);
    const [operation] = (await failed("")).filter(({ action }) => action === "list_events");
    expect(operation).toMatchObject({ eventType: "PROVIDER_REQUEST", riskLevel: "LOW", errorCode: "connection_ended" });
    expect(await circuit()).toMatchObject({ state: "closed", failuresInWindow: 2 });
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "needs_reconnect" });
    expect(JSON.stringify(await ours.events()) + JSON.stringify(await ours.runs())).not.toContain("sk_live");
  });

  it("by a key that only one list refuses leaves the connection as it is", async () => {
    provider.meddle(({ path }) => (path === "/v1/events" ? failing(401, wrong("invalid_request_error")) : undefined));
    const before = calls().length;
    expect(await ours.sync()).toMatchObject({ status: "failed", error: { category: "authentication" } });
    expect(
      calls()
        .slice(before)
        .map(({ path }) => path),
    ).toEqual(["/v1/events", "/v1/account", "/v1/events", "/v1/account"]);
    expect(await failed("eventType=AUTHENTICATION_FAILURE")).toMatchObject([{ action: "list_events" }]);
    expect(await circuit()).toMatchObject({ state: "closed", failuresInWindow: 1 });
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "connected" });
  });

  it("is given up within ten seconds if there is no answer or the wait would be longer", async () => {
    whole("silence");
    const before = calls().length;
    expect(await ours.sync()).toMatchObject({ status: "failed", error: { category: "network" } });
    const hanging = calls().slice(before);
    expect(hanging.length).toBeLessThanOrEqual(3);
    expect((hanging.at(-1)?.at ?? 0) - (hanging[0]?.at ?? 0)).toBeLessThan(10_000);

    whole(failing(429, wrong("x"), { "stripe-rate-limited-reason": "endpoint-rate", "retry-after": "60" }));
    await ours.sync();
    expect(calls()).toHaveLength(before + hanging.length + 1);
  });

  it("is no failure if a later attempt succeeds", async () => {
    let refusals = 2;
    provider.meddle(() => (refusals-- > 0 ? failing(503, wrong("api_error"), { "retry-after": "1" }) : undefined));
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
    expect(await failed("")).toEqual([]);
    const [last] = (await ours.events()).filter(({ action }) => action === "list_events");
    expect(last).toMatchObject({ success: true, riskLevel: "LOW", metadata: { attempts: 3, retryAfterMs: 1000 } });
    expect(await circuit()).toMatchObject({ state: "closed", failuresInWindow: 2 });
  });
});

describe("the circuit", () => {
  it("opens at the fifth failure, refuses calls, and is closed by the next run", async () => {
    whole(failing(500, wrong("api_error")));
    await ours.sync();
    const before = calls().length;
    const second = await ours.sync();
    expect(second).toMatchObject({ status: "failed" });
    expect(calls()).toHaveLength(before + 2);
    expect(await circuit()).toMatchObject({ state: "open", retryAt: expect.any(Number) });
    const refused = await ours.call("POST", "sync", {}, {}, { "idempotency-key": "once" });
    expect(refused).toMatchObject({ status: 503, body: { error: 50303 } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await ours.connect(account.apiKey)).toMatchObject({ status: 503, body: { error: 50303 } });
    expect(calls()).toHaveLength(before + 2);

    provider.behave();
    await service.advance(30_000);
    expect(await circuit()).toMatchObject({ state: "half_open" });
    // The refusal did not use up the idempotency key.
    const started = await ours.call("POST", "sync", {}, {}, { "idempotency-key": "once" });
    expect(started.status).toBe(202);
    expect(await ours.lastRun()).toMatchObject({ id: (started.body as Run).id, status: "succeeded" });
    expect(await circuit()).toMatchObject({ state: "closed" });
  });

  it("counts failures of the last 60 seconds only", async () => {
    whole(failing(500, wrong("api_error")));
    await ours.sync();
    await service.advance(61_000);
    await ours.sync();
    expect(await circuit()).toMatchObject({ state: "closed", failuresInWindow: 3 });
  });

  it("stops a run while it is open; the run is not retried", async () => {
    await ours.call("POST", "circuit-breaker", { action: "force_open", reason: "maintenance" });
    const refused = await ours.call("POST", "sync");
    expect(refused).toMatchObject({ status: 503, body: { error: 50303 } });
    expect(refused.headers.get("retry-after")).toBeNull();
    const before = calls().length;
    await service.advance(4 * 3_600_000);
    expect(await ours.lastRun()).toMatchObject({
      trigger: "scheduled",
      status: "failed",
      error: { category: "circuit_open" },
    });
    expect((await ours.runs()).filter(({ trigger }) => trigger === "scheduled")).toHaveLength(1);
    expect(calls()).toHaveLength(before);
    await ours.call("POST", "circuit-breaker", { action: "reset" });
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
  });

  it("is separate for each organization", async () => {
    whole(failing(500, wrong("api_error")));
    await ours.sync();
    await ours.sync();
    provider.behave();
    const others = organizationOf(service, `${ours.organizationId}-other`);
    expect(await others.connect(provider.account().apiKey)).toMatchObject({ status: 200 });
    expect(await others.lastRun()).toMatchObject({ status: "succeeded" });
  });
});

describe("a run", () => {
  it("counts the objects that it reads", async () => {
    const before = ((await ours.call("GET", "connection")).body as { readsThisMonth: number }).readsThisMonth;
    expect(before).toBe(calls().length);
    await ours.sync();
    await sleep(100);
    const after = ((await ours.call("GET", "connection")).body as { readsThisMonth: number }).readsThisMonth;
    expect(after).toBe(before + 1);
  });
});
