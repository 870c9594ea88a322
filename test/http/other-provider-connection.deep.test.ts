import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { engineClient, everything } from "../support/everything.ts";
import { organizationOf } from "../support/integration.ts";
import { addEvent, failing, now, type OtherAccount, platform, put, type Reply } from "../support/other-provider.ts";
import { useOtherProvider } from "../support/use-service.ts";

const { provider, service } = await useOtherProvider({ providerOauth: platform });
const tables = engineClient(service);
afterAll(() => tables.destroy());

type Shown = { status: string; tokenExpiresAt?: number; accountId?: string };
type Stats = { state: string; failuresInWindow: number; failedRequests: number };

let ours: ReturnType<typeof organizationOf>;
let account: OtherAccount;
let organizations = 0;
beforeEach(() => {
  provider.behave();
  ours = organizationOf(service, `connecting-${++organizations}`);
  account = provider.account();
  put(account, "customers", { id: "cus_1", created: now() - 1_000 });
  addEvent(account, "customer.created", { id: "cus_1", created: now() - 1_000 }, now() - 1_000);
});

// Disconnected, so that no schedule disturbs the next test.
afterEach(async () => {
  expect((await ours.call("DELETE", "connection")).status).toBe(204);
});

const shown = async () => (await ours.call("GET", "connection")).body as Shown;
const circuit = async () =>
  ((await ours.call("GET", "circuit-breaker")).body as { organizationStats: Stats }).organizationStats;
const authorize = async () => (await ours.call("POST", "connection/authorize")).body as { url: string; state: string };
const connectByOAuth = async () => {
  const { state } = await authorize();
  const connected = await ours.call("PUT", "connection", { method: "oauth", code: provider.code(account), state });
  expect(connected).toMatchObject({ status: 200, body: { method: "oauth", accountId: account.id } });
  expect(await ours.lastRun()).toMatchObject({ status: "succeeded" });
  return connected.body as Shown;
};
const exchanges = () => provider.calls.filter(({ path }) => path === "/v1/oauth/token");
const during = async (work: () => Promise<unknown>) => {
  const before = provider.calls.length;
  await work();
  return provider.calls.slice(before);
};
const onToken = (reply: Reply) => provider.meddle(({ path }) => (path === "/v1/oauth/token" ? reply : undefined));

describe("connecting", () => {
  it.each<[string, Reply, number, number]>([
    ["does not know the key", failing(401, { type: "invalid_request_error", message: "no such key" }), 422, 42201],
    ["denies access to the key", failing(403, { type: "invalid_request_error" }), 422, 42201],
    ["limits the rate", failing(429, { code: "rate_limit" }, { "retry-after": "0" }), 503, 50304],
    ["fails", failing(500, { type: "api_error" }), 503, 50304],
    ["answers with an HTML page", { status: 200, body: "<html>Welcome</html>" }, 503, 50304],
    ["answers with another object", { status: 200, body: { object: "nothing" } }, 503, 50304],
    ["cuts the connection", "reset", 503, 50304],
    ["never answers", "silence", 503, 50304],
  ])("stores nothing if the provider %s", async (_, reply, status, error) => {
    provider.meddle(() => reply);
    const made = await during(async () => {
      const refused = await ours.connect(account.apiKey, { webhookSecret: "whsec_never_stored" });
      expect(refused).toMatchObject({ status, body: { error } });
      expect(refused.headers.get("retry-after")).toEqual(status === 503 ? expect.stringMatching(/^[1-9]/) : null);
    });
    expect(made.length).toBeLessThanOrEqual(3);
    expect(new Set(made.map(({ path }) => path))).toEqual(new Set(["/v1/account"]));
    expect(await shown()).toMatchObject({ status: "disconnected" });
    expect(await shown()).not.toHaveProperty("accountId");
    expect(await ours.runs()).toEqual([]);
    expect(await ours.events("eventType=AUTHENTICATION_FAILURE")).toEqual([]);
    expect(await ours.events("eventType=PROVIDER_CONNECTION_ESTABLISHED")).toEqual([]);
    if (status === 422) expect(await circuit()).toMatchObject({ failuresInWindow: 0, failedRequests: 0 });
    expect(await ours.call("POST", "sync")).toMatchObject({ status: 409, body: { error: 40903 } });
  });

  it("records one event, and destroys the credentials when it ends", async () => {
    const sealed = async () => {
      const { Items = [] } = await tables.send(
        new ScanCommand({ TableName: service.stack.tables.find((name) => /connections/i.test(name)) }),
      );
      return Items.find(({ id }) => id?.S?.endsWith(ours.organizationId));
    };
    const connected = await ours.connect(account.apiKey, { webhookSecrets: ["whsec_one", "whsec_two"], more: 1 });
    expect(connected.status).toBe(200);
    expect(connected.headers.get("content-type")).toContain("application/json");
    expect(Object.keys(connected.body as object)).not.toContain("more");
    await ours.lastRun();
    expect(Object.keys((await sealed()) ?? {})).toEqual(expect.arrayContaining(["credentials", "webhookSecrets"]));
    const deleted = await ours.call("DELETE", "connection");
    expect(deleted).toMatchObject({ status: 204, text: "" });
    const left = Object.keys((await sealed()) ?? {});
    for (const secret of ["credentials", "webhookSecrets", "accountId", "connectedShard"])
      expect(left).not.toContain(secret);
    expect((await ours.call("DELETE", "connection")).status).toBe(204);
    expect(await ours.events("eventType=PROVIDER_CONNECTION_ESTABLISHED")).toMatchObject([
      { riskLevel: "LOW", category: "integration", source: "user", userId: "ada", resource: account.id, success: true },
    ]);
    expect(await ours.events("eventType=PROVIDER_CONNECTION_REMOVED")).toHaveLength(1);
    expect(await ours.records("customers")).toHaveLength(1);
    const requests = await during(() => service.advance(4 * 3_600_000));
    expect(requests).toEqual([]);
  });

  it("again replaces the key for the next run", async () => {
    await ours.connect(account.apiKey);
    await ours.lastRun();
    const second = provider.account(account.things);
    expect(await ours.connect(second.apiKey)).toMatchObject({ status: 409, body: { error: 40902 } });
    expect(await shown()).toMatchObject({ status: "connected", accountId: account.id });
    provider.revoke(account);
    const key = provider.key(account);
    expect(await ours.connect(key)).toMatchObject({ status: 200, body: { accountId: account.id } });
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded", trigger: "connection" });
    const [request] = await during(() => ours.sync());
    expect(request?.secret).toBe(key);
  });
});

describe("OAuth", () => {
  it("sends the user to the provider, and accepts code and state once", async () => {
    const { url, state } = await authorize();
    const { searchParams } = new URL(url);
    expect([searchParams.get("client_id"), searchParams.get("state")]).toEqual([platform.clientId, state]);
    const body = { method: "oauth", code: provider.code(account), state };
    const startedAt = Date.now();
    const connected = await ours.call("PUT", "connection", body);
    expect(connected.status).toBe(200);
    const { tokenExpiresAt = 0 } = connected.body as Shown;
    // Earlier tests moved the clock of the functions.
    expect(tokenExpiresAt).toBeGreaterThanOrEqual(startedAt + 3_600_000);
    await ours.lastRun();
    const other = { ...body, code: provider.code(account) };
    expect(
      await during(async () => {
        expect(await ours.call("PUT", "connection", other)).toMatchObject({ status: 400, body: { error: 40004 } });
      }),
    ).toEqual([]);
  });

  it("gives all other states the same refusal, without asking the provider", async () => {
    const { state } = await authorize();
    const body = { method: "oauth", code: provider.code(account), state };
    const others = organizationOf(service, `${ours.organizationId}-other`);
    const answers: { status: number; text: string }[] = [];
    const asked = await during(async () => {
      answers.push(await ours.call("PUT", "connection", body, { userId: "bob" }));
      answers.push(await others.call("PUT", "connection", body));
      answers.push(await ours.call("PUT", "connection", { ...body, state: "forged" }));
      await service.advance(600_001);
      answers.push(await ours.call("PUT", "connection", body));
    });
    expect(asked).toEqual([]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it("answers 422 if the provider refuses the code, and 503 if it is unreachable", async () => {
    const first = { method: "oauth", code: "ac_of_nobody", state: (await authorize()).state };
    expect(await ours.call("PUT", "connection", first)).toMatchObject({ status: 422, body: { error: 42201 } });
    const second = { method: "oauth", code: provider.code(account), state: (await authorize()).state };
    onToken(failing(503));
    const unreachable = await ours.call("PUT", "connection", second);
    expect(unreachable).toMatchObject({ status: 503, body: { error: 50304 } });
    expect(Number(unreachable.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await shown()).toMatchObject({ status: "disconnected" });
    provider.behave();
    expect((await ours.call("PUT", "connection", second)).status).toBe(200);
  });

  it("accepts an answer that has only the tokens", async () => {
    const onlyTokens = (call: Parameters<typeof provider.exchange>[0]): Reply | undefined => {
      if (call.path !== "/v1/oauth/token") return undefined;
      const reply = provider.exchange(call);
      if (typeof reply === "string") return reply;
      const { access_token, refresh_token } = reply.body as Record<string, unknown>;
      return { ...reply, body: { access_token, refresh_token } };
    };
    provider.meddle(onlyTokens);
    await connectByOAuth();
    provider.revoke(account);
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
  });

  it("replaces a refused token once, records no failure, and rotates the refresh token", async () => {
    await connectByOAuth();
    for (let round = 1; round <= 2; round++) {
      provider.revoke(account);
      const made = await during(async () => {
        expect(await ours.sync()).toMatchObject({ status: "succeeded" });
      });
      expect(made.map(({ path }) => path)).toEqual(["/v1/events", "/v1/oauth/token", "/v1/events"]);
      expect(made[1]).toMatchObject({
        method: "POST",
        secret: platform.secret,
        query: { grant_type: "refresh_token" },
      });
      expect(await ours.events("eventType=PROVIDER_TOKEN_REFRESH")).toHaveLength(round);
    }
    const used = exchanges().flatMap(({ query }) => query.refresh_token ?? []);
    expect(new Set(used).size).toBe(used.length);
    const [refresh] = await ours.events("eventType=PROVIDER_TOKEN_REFRESH");
    expect(refresh).toMatchObject({ riskLevel: "LOW", category: "authentication", success: true });
    expect(await ours.events("eventType=AUTHENTICATION_FAILURE")).toEqual([]);
    expect(await circuit()).toMatchObject({ state: "closed", failuresInWindow: 0, failedRequests: 0 });
  });

  it("replaces a token before its hour is over", async () => {
    const { tokenExpiresAt = 0 } = await connectByOAuth();
    await service.advance(3_600_000);
    const made = await during(async () => {
      expect(await ours.sync()).toMatchObject({ status: "succeeded" });
    });
    expect(made.map(({ path }) => path)).toEqual(["/v1/oauth/token", "/v1/events"]);
    expect((await shown()).tokenExpiresAt).toBeGreaterThan(tokenExpiresAt);
  });

  it.each<[string, Reply]>([
    ["fails", failing(500)],
    ["refuses the platform", failing(401, { type: "invalid_request_error" })],
    ["limits the rate", failing(429, { code: "rate_limit" })],
    ["cuts the connection", "reset"],
  ])("leaves the connection unchanged if the token endpoint %s", async (_, reply) => {
    await connectByOAuth();
    provider.revoke(account);
    onToken(reply);
    expect(await ours.sync()).toMatchObject({ status: "failed" });
    expect(await shown()).toMatchObject({ status: "connected" });
    expect((await ours.events()).map(({ action }) => action)).not.toContain("require_reconnect");
    provider.behave();
    // An exchange whose answer was lost is repeated only after its lease has expired.
    await service.advance(16_000);
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
  });

  it.each<[string, () => void]>([
    ["the refresh token is revoked", () => provider.revoke(account, { alsoGrants: true })],
    [
      "a fresh token is refused",
      () => provider.meddle(({ path }) => (path.startsWith("/v1/oauth") ? undefined : failing(401))),
    ],
  ])("needs a reconnect if %s", async (_, happen) => {
    await connectByOAuth();
    happen();
    const made = await during(async () => {
      expect(await ours.sync()).toMatchObject({ status: "failed", error: { category: "authentication" } });
    });
    expect(made.filter(({ path }) => path === "/v1/oauth/token")).toHaveLength(1);
    expect(await shown()).toMatchObject({ status: "needs_reconnect", accountId: account.id });
    const failures = await ours.events("eventType=AUTHENTICATION_FAILURE");
    expect(failures).toMatchObject([{ category: "authentication", riskLevel: "HIGH", success: false }]);
    expect(await ours.call("POST", "sync")).toMatchObject({ status: 409, body: { error: 40903 } });
    expect(await during(() => service.advance(4 * 3_600_000))).toEqual([]);
    provider.behave();
    const again = { method: "oauth", code: provider.code(account), state: (await authorize()).state };
    expect(await ours.call("PUT", "connection", again)).toMatchObject({ status: 200, body: { status: "connected" } });
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded" });
  });
});

it("leaves no secret anywhere", async () => {
  const card = { number: "4242424242424242", last4: "4242", fingerprint: "fp_secret_fingerprint" };
  put(account, "customers", { id: "cus_2", created: now(), name: "Noa", default_source: { object: "card", ...card } });
  put(account, "payment_intents", {
    id: "pi_1",
    created: now(),
    status: "succeeded",
    client_secret: "pi_1_secret_of_the_client",
    payment_method: { card, us_bank_account: { account_number: "000123456789", routing_number: "110000000" } },
  });
  const connected = await ours.connect(account.apiKey, { webhookSecret: "whsec_0123456789secret" });
  expect(connected.status).toBe(200);
  await ours.lastRun();
  await ours.connect("sk_test_refused_0123456789");
  provider.meddle(() => failing(402, { message: `Your key ${account.apiKey} and ${card.number}` }));
  await ours.sync();
  const seen = await everything(service, tables);
  expect(seen).toContain("Noa");
  const secrets = [...provider.calls.map(({ secret }) => secret), ...exchanges().map(({ query }) => query)].flatMap(
    (one) => (typeof one === "string" ? one : [one.code ?? "", one.refresh_token ?? ""]),
  );
  expect(secrets).toContain(account.apiKey);
  for (const secret of [
    ...secrets,
    "whsec_",
    "4242424242424242",
    "secret_fingerprint",
    "secret_of_the_client",
    "000123456789",
  ])
    if (secret !== "") expect(seen.includes(secret)).toBe(false);
});
