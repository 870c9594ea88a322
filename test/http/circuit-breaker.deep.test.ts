import { beforeAll, describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { organizationOf } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { synthesiseGuarded } from "../support/synthesise-with.ts";
import { useService } from "../support/use-service.ts";

const BREAKER = "/api/integrations/provider/circuit-breaker";

type Stats = Record<string, unknown> & { state: string; forced: boolean };
type Report = { organizationStats: Stats; globalStats: Record<string, number>; overallHealth: Record<string, unknown> };

const service = await useService({ assembly: await synthesiseGuarded(), foreignPath: "/guarded" });
let organizations = 0;
beforeAll(async () => {
  // A cold instance may exceed the guard's time-out for the store. Then it decides locally for 5 s.
  await Promise.all(Array.from({ length: 10 }, () => service.request("GET", "/guarded?organization=warm")));
  await service.advance(6_000);
});

const freshOrganization = async () => {
  const organizationId = `acme-${++organizations}`;
  const organization = organizationOf(service, organizationId);
  const ask = (method: string, path: string, body?: object) =>
    organization.call(method, path, body, { userId: "admin" });
  const call = (outcome: "ok" | "fail" | "neutral") =>
    service.request("GET", `/guarded?organization=${organizationId}&outcome=${outcome}`);
  const report = async () => (await ask("GET", BREAKER)).body as Report;
  const operate = (body: object) => ask("POST", BREAKER, body);
  const changes = async () => {
    const { body } = await ask("GET", "security?eventType=CIRCUIT_BREAKER_CHANGED&since=0");
    return (body as { events: { id: string; action: string }[] }).events.reverse();
  };
  const reset = () => operate({ action: "reset" });
  return { organizationId, call, report, operate, changes, reset };
};
type Organization = Awaited<ReturnType<typeof freshOrganization>>;
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

describe("a circuit", () => {
  it("opens at the fifth failure across instances, refuses calls, probes after 30 s, and closes after two successes", async () => {
    const { organizationId, call, report, changes } = await freshOrganization();
    // Four concurrent requests use four instances.
    expect(statuses(await Promise.all([1, 2, 3, 4].map(() => call("fail"))))).toEqual([500, 500, 500, 500]);
    expect((await report()).organizationStats).toMatchObject({ state: "closed", failuresInWindow: 4 });
    expect((await call("ok")).status).toBe(200);
    expect((await call("fail")).status).toBe(500);
    const opened = (await report()).organizationStats;
    expect(opened).toMatchObject({
      organizationId,
      state: "open",
      forced: false,
      failedRequests: 5,
      retryAt: expect.any(Number),
    });

    const refused = await call("ok");
    expect(refused).toMatchObject({ status: 503, body: { error: 50303 } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(30);

    await service.advance(29_000 - (Date.now() % 1));
    await service.advance(1_001);
    expect((await report()).organizationStats).toMatchObject({ state: "half_open" });
    expect((await call("ok")).status).toBe(200);
    expect((await report()).organizationStats).toMatchObject({ state: "half_open", consecutiveSuccesses: 1 });
    expect((await call("ok")).status).toBe(200);
    expect((await report()).organizationStats).toMatchObject({ state: "closed", failuresInWindow: 0, retryAt: null });
    expect((await changes()).map(({ action }) => action)).toEqual(["open", "half_open", "close"]);
  });

  it("opens again for 30 s when a probe fails, and admits at most three probes", async () => {
    const { call, report } = await freshOrganization();
    for (let i = 0; i < 5; i++) await call("fail");
    await service.advance(30_001);
    expect((await call("fail")).status).toBe(500);
    expect((await call("ok")).status).toBe(503);
    expect((await report()).organizationStats).toMatchObject({ state: "open" });
    await service.advance(30_001);
    const answers = await Promise.all(Array.from({ length: 8 }, () => call("ok")));
    expect(statuses(answers).filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect((await report()).organizationStats).toMatchObject({ state: "closed" });
  });

  it("ignores failures older than 60 s and our own errors", async () => {
    const { call, report } = await freshOrganization();
    for (let i = 0; i < 4; i++) await call("fail");
    for (let i = 0; i < 5; i++) await call("neutral");
    await service.advance(60_000);
    await call("fail");
    expect((await report()).organizationStats).toMatchObject({ state: "closed", failuresInWindow: 1 });
  });

  it("is separate for each organization", async () => {
    const [broken, whole] = [await freshOrganization(), await freshOrganization()];
    for (let i = 0; i < 5; i++) await broken.call("fail");
    expect((await whole.call("ok")).status).toBe(200);
    expect((await whole.report()).organizationStats).toMatchObject({
      state: "closed",
      totalRequests: 1,
      failedRequests: 0,
    });
    expect(JSON.stringify(await whole.report())).not.toContain(broken.organizationId);
    await broken.reset();
  });
});

describe("an operator", () => {
  it("overrides every state until the next command or the end of the hold", async () => {
    const { call, report, operate, changes } = await freshOrganization();
    const forced = await operate({ action: "force_open", reason: "The provider asked us to stop" });
    expect(forced).toMatchObject({
      status: 200,
      body: { state: "open", forced: true, changedBy: "admin", reason: "The provider asked us to stop", retryAt: null },
    });
    const refused = await call("ok");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBeNull();
    await service.advance(120_000);
    expect((await call("ok")).status).toBe(503);

    expect((await operate({ action: "force_close" })).body).toMatchObject({ state: "closed", forced: true });
    for (let i = 0; i < 7; i++) expect((await call("fail")).status).toBe(500);
    expect((await report()).organizationStats).toMatchObject({ state: "closed", forced: true });

    expect((await operate({ action: "reset" })).body).toMatchObject({
      state: "closed",
      forced: false,
      totalRequests: 0,
      failedRequests: 0,
    });
    for (let i = 0; i < 5; i++) await call("fail");
    expect((await operate({ action: "force_close" })).body).toMatchObject({ state: "closed", forced: true });
    expect((await call("ok")).status).toBe(200);
    await operate({ action: "reset" });
    expect((await changes()).map(({ action }) => action)).toEqual([
      "force_open",
      "force_close",
      "reset",
      "open",
      "force_close",
      "reset",
    ]);
  });

  it("may hold the circuit for a limited time; then it is closed without failures", async () => {
    const { call, report, operate } = await freshOrganization();
    const { now } = await service.advance(0);
    const until = now + 60_000;
    expect((await operate({ action: "force_open", until })).body).toMatchObject({ state: "open", forced: true, until });
    await service.advance(60_001);
    expect((await report()).organizationStats).toMatchObject({ state: "closed", forced: false, failuresInWindow: 0 });
    expect((await call("ok")).status).toBe(200);
  });

  it("records one event for a repeated command", async () => {
    const { operate, changes } = await freshOrganization();
    for (let i = 0; i < 3; i++) expect((await operate({ action: "force_open" })).status).toBe(200);
    const events = await changes();
    expect(events).toEqual([
      expect.objectContaining({
        action: "force_open",
        userId: "admin",
        source: "user",
        category: "compliance",
        ipAddress: "127.0.0.1",
        resourceType: "circuit_breaker",
      }),
    ]);
    await operate({ action: "reset" });
  });

  it.each([
    [{}, "action: expected one of reset, force_open, force_close"],
    [{ action: "close" }, "action: expected one of"],
    [{ action: "force_open", until: 1 }, "until: expected a time in the future"],
    [{ action: "force_open", until: "tomorrow" }, "until: expected epoch milliseconds"],
    [{ action: "force_open", until: 1.5 }, "until: expected epoch milliseconds"],
    [{ action: "reset", until: 4e12 }, "until: expected with force_open and force_close only"],
    [{ action: "force_open", reason: "" }, "reason: expected a text of 1 to 512 characters"],
  ])("receives an error that names the problem of %j", async (body, message) => {
    const { operate } = await freshOrganization();
    expect(await operate(body)).toMatchObject({
      status: 400,
      body: { error: 40002, message: expect.stringContaining(message) },
    });
  });
});

describe("permissions", () => {
  it.each([
    ["admin", 200, 200],
    ["billing", 200, 403],
    ["member", 200, 403],
    ["guest", 403, 403],
  ])("%s: read %i, change %i", async (role, read, change) => {
    const token = await service.mint({ organizationId: "roles", role });
    expect((await service.request("GET", BREAKER, { token })).status).toBe(read);
    expect((await service.request("POST", BREAKER, { token, body: '{"action":"reset"}' })).status).toBe(change);
  });
});

describe("an outage", () => {
  it("is one CRITICAL event on the bus while half of five connected organizations' circuits opened by themselves", async () => {
    const account = await simulatedProvider(service).account(1, { seed: "outage" });
    const connected = await Promise.all(Array.from({ length: 5 }, freshOrganization));
    for (const { organizationId } of connected) {
      expect((await organizationOf(service, organizationId).connect(account.apiKey)).status).toBe(200);
    }
    const [first, second, third] = connected as [Organization, Organization, Organization];
    const open = async ({ call }: Organization) => {
      for (let i = 0; i < 5; i++) await call("fail");
    };
    const outages = async () => {
      type Detail = { organizationId?: string; alert?: { level: string } };
      return (await controlOf(service).published<Detail>()).filter(({ alert }) => alert?.level === "CRITICAL");
    };
    const before = (await outages()).length;
    for (const one of connected) await one.operate({ action: "force_open" });
    expect((await first.report()).overallHealth).toMatchObject({ status: "unhealthy" });
    expect((await outages()).slice(before)).toEqual([]);
    for (const one of connected) await one.reset();
    expect((await first.report()).overallHealth).toMatchObject({ status: "healthy", openCircuits: 0 });
    for (const one of [first, second]) await open(one);
    expect((await outages()).slice(before)).toEqual([]);
    await open(third);
    const found = (await outages()).slice(before);
    expect(found).toHaveLength(1);
    expect(found[0]?.organizationId).toBeUndefined();
    for (const one of connected) await one.reset();
    for (const one of [first, second, third]) await open(one);
    expect((await outages()).slice(before)).toHaveLength(2);
    for (const one of connected) await one.reset();
  });
});
