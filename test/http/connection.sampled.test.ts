import { describe, expect, it } from "@jest/globals";
import { deepIt } from "../support/deep-it.ts";
import { sampleOf } from "../support/depth.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { authorize, grantAccess } from "../support/oauth.ts";
import { providerSdk } from "../support/provider-objects.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useFresh, useOrganizations, useSharedService } from "../support/use-service.ts";
import { webhookSender } from "../support/webhook-sender.ts";

const service = await useSharedService();
const provider = simulatedProvider(service);

const ours = useOrganizations(service, "connection");
const account = useFresh((count) => provider.account(4, { seed: `connection-${count}` }));

describe("a connection", () => {
  it("is created with an API key that the provider accepts, shown without the key, and removed", async () => {
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    const connected = await ours.connect(account.apiKey, { webhookSecret: "whsec_of_ours" });
    expect(connected).toMatchObject({
      status: 200,
      body: { status: "connected", method: "api_key", accountId: account.accountId },
    });
    expect(await ours.lastRun()).toMatchObject({ trigger: "connection", mode: "full", status: "succeeded" });
    const shown = await ours.call("GET", "connection", undefined, { role: "member" });
    expect(shown.body).toMatchObject({ status: "connected", lastSyncAt: expect.any(Number) });
    const { connectedAt, nextSyncAt, syncIntervalHours } = shown.body as Record<string, number>;
    // The schedule has not run yet, so the latest time is known.
    expect(nextSyncAt).toBeGreaterThan(Number(connectedAt));
    expect(nextSyncAt).toBeLessThanOrEqual(Number(connectedAt) + Number(syncIntervalHours) * 3_600_000);
    expect(shown.body).toMatchObject({ provider: { name: "Stripe" } });
    expect(shown.text + connected.text).not.toContain(account.apiKey);

    expect((await ours.call("DELETE", "connection")).status).toBe(204);
    expect((await ours.call("DELETE", "connection")).status).toBe(204);
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    expect((await ours.records("customers")).length).toBeGreaterThan(0);
    const types = (await ours.events()).map(({ eventType }) => eventType);
    for (const type of ["PROVIDER_CONNECTION_ESTABLISHED", "PROVIDER_CONNECTION_REMOVED"])
      expect(types.filter((one) => one === type)).toHaveLength(1);
    expect(await service.logged()).not.toContain(account.apiKey);
    expect(await service.logged()).not.toContain("whsec_of_ours");
  });

  deepIt(
    "says what its key may do, and raises one alert for an unrestricted live key until that is replaced",
    async () => {
      const twin = (prefix: string) => account.apiKey.replace("sk_test_", prefix);
      const alerts = async (status: string) => {
        const { body } = await ours.call("GET", `security/alert?status=${status}`);
        return (body as { rule: string }[]).filter(({ rule }) => rule === "connection_key");
      };
      const live = (await ours.connect(twin("sk_live_"))).body as { key: { since: number } };
      expect(live.key).toMatchObject({
        kind: "unrestricted",
        mode: "live",
        lastAcceptedAt: expect.any(Number),
        advice: [{ code: "use_restricted_key", text: expect.any(String) }],
      });
      await ours.lastRun();
      await ours.connect(twin("sk_live_"));
      await ours.lastRun();
      const [alert, ...others] = await alerts("open");
      expect(others).toEqual([]);
      expect(alert).toMatchObject({ subject: "unrestricted", level: "HIGH", count: 1 });
      expect(JSON.stringify(alert)).toContain("Customers: read");
      expect((await ours.call("GET", "connection")).body).toMatchObject({
        key: { kind: "unrestricted", since: live.key.since },
      });

      expect(await ours.connect(twin("rk_live_"))).toMatchObject({
        body: { key: { kind: "restricted", mode: "live", advice: [] } },
      });
      expect(await alerts("open")).toEqual([]);
      expect(await alerts("resolved")).toMatchObject([{ subject: "unrestricted", resolvedAt: expect.any(Number) }]);
      await ours.connect(twin("sk_live_"));
      expect(await alerts("open")).toHaveLength(1);
      await ours.call("DELETE", "connection");
      expect(await alerts("open")).toEqual([]);
      expect((await ours.call("GET", "connection")).body).not.toHaveProperty("key");
      expect(JSON.stringify(await alerts("resolved"))).not.toContain(account.apiKey.slice("sk_test_".length));
    },
  );

  it("is not created if the provider refuses the key or is unreachable", async () => {
    expect(await ours.connect("sk_test_of_nobody")).toMatchObject({ status: 422, body: { error: 42201 } });
    const fault = await provider.fail(account.accountId, { kind: "error", status: 503 });
    const unreachable = await ours.connect(account.apiKey);
    await provider.recover(fault);
    expect(unreachable).toMatchObject({ status: 503, body: { error: 50304 } });
    expect(Number(unreachable.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    expect((await ours.call("POST", "sync")).body).toMatchObject({ error: 40903 });
  });

  deepIt("must be made again once the provider refuses its key for good, which a valid key heals", async () => {
    await ours.connect(account.apiKey);
    await ours.lastRun();
    const fault = await provider.fail(account.accountId, { kind: "error", status: 401 });
    const before = await provider.requests(account.accountId);
    expect(await ours.sync()).toMatchObject({ status: "failed", error: { category: "authentication" } });
    // The refused read of the feed, and the read of the account that confirms it.
    const after = await provider.requests(account.accountId);
    expect([after["GET /v1/events"], after["GET /v1/account"]]).toEqual([
      (before["GET /v1/events"] ?? 0) + 1,
      (before["GET /v1/account"] ?? 0) + 1,
    ]);
    const { body } = await ours.call("GET", "connection");
    expect(body).toMatchObject({ status: "needs_reconnect", method: "api_key", accountId: account.accountId });
    expect(await ours.call("POST", "sync")).toMatchObject({ status: 409, body: { error: 40903 } });
    const failures = await ours.events("eventType=AUTHENTICATION_FAILURE");
    expect(failures).toMatchObject([
      { category: "authentication", riskLevel: "HIGH", resource: account.accountId, alertGenerated: true },
    ]);
    const alerts = (await ours.call("GET", "security/alert")).body as { eventIds: string[] }[];
    expect(alerts.filter(({ eventIds }) => eventIds.includes(String(failures[0]?.id)))).toHaveLength(1);

    expect(await ours.connect(account.apiKey)).toMatchObject({ status: 422 });
    await provider.recover(fault);
    expect(await ours.connect(account.apiKey)).toMatchObject({ status: 200, body: { status: "connected" } });
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded" });
    expect(await ours.events("eventType=AUTHENTICATION_FAILURE")).toHaveLength(1);
  });

  deepIt(
    "is one connection with one run, and its secrets change once, however often the requests are repeated",
    async () => {
      const answers = [await ours.connect(account.apiKey), await ours.connect(account.apiKey)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await ours.lastRun()).toMatchObject({ trigger: "connection", status: "succeeded" });
      const [, ...earlier] = await ours.runs();
      expect(earlier.filter(({ status }) => status === "running")).toEqual([]);
      const secrets = { webhookSecrets: ["whsec_of_repeated"] };
      const changed = [
        await ours.call("PUT", "connection/webhook-secrets", secrets),
        await ours.call("PUT", "connection/webhook-secrets", secrets),
      ];
      expect(changed[0]).toMatchObject({ status: 200, body: { status: "connected" } });
      expect(changed[1]?.text).toBe(changed[0]?.text);
      expect(await ours.events("eventType=WEBHOOK_SECRETS_CHANGED")).toHaveLength(1);
    },
  );

  it("is not visible to another organization, and accepts no other account while records are stored", async () => {
    await ours.connect(account.apiKey);
    await ours.lastRun();
    const others = organizationOf(service, `${ours.organizationId}x`);
    expect((await others.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    expect(await others.records("customers")).toEqual([]);
    expect(await others.runs()).toEqual([]);
    const other = await provider.account(4);
    expect(await ours.connect(other.apiKey)).toMatchObject({ status: 409, body: { error: 40902 } });
    expect(await ours.connect(account.apiKey)).toMatchObject({ status: 200, body: { accountId: account.accountId } });
    await ours.call("DELETE", "connection");
    expect(await ours.connect(other.apiKey)).toMatchObject({ status: 409, body: { error: 40902 } });
  });

  it.each(
    sampleOf<[object, string]>(
      [
        [{}, "method"],
        [{ method: "password" }, "method"],
        [{ method: "api_key" }, "apiKey"],
        [{ method: "api_key", apiKey: "" }, "apiKey"],
        [{ method: "api_key", apiKey: "with space" }, "apiKey"],
        [{ method: "api_key", apiKey: "k", webhookSecrets: [] }, "webhookSecrets"],
        [{ method: "api_key", apiKey: "k", webhookSecret: "a", webhookSecrets: ["b"] }, "webhookSecrets"],
        [{ method: "oauth", code: "c" }, "state"],
      ],
      2,
    ),
  )("is not made by %j", async (body, field) => {
    const answer = await ours.call("PUT", "connection", body);
    expect(answer).toMatchObject({ status: 400, body: { error: 40002, message: expect.stringContaining(field) } });
  });

  it.each(
    sampleOf<[string, string, string]>(
      [
        ["member", "PUT", "connection"],
        ["guest", "GET", "connection"],
        ["member", "DELETE", "connection"],
        ["member", "POST", "connection/authorize"],
      ],
      2,
    ),
  )("is not %s's: %s %s", async (role, method, path) => {
    const answer = await ours.call(method, path, method === "PUT" ? {} : undefined, { role });
    expect(answer).toMatchObject({ status: 403, body: { error: 40301 } });
  });
});

describe("webhook secrets", () => {
  const PATH = "connection/webhook-secrets";

  it("are changed alone; those that they replace still verify", async () => {
    await ours.connect(account.apiKey, { webhookSecret: "whsec_old" });
    await ours.lastRun();
    const runs = (await ours.runs()).length;
    const reads = await provider.requests(account.accountId);
    const changed = await ours.call("PUT", PATH, { webhookSecrets: ["whsec_new"] });
    expect(changed).toMatchObject({ status: 200, body: { status: "connected", accountId: account.accountId } });
    expect(await ours.call("PUT", PATH, { webhookSecrets: ["whsec_new"] })).toMatchObject({ status: 200 });
    expect(await ours.runs()).toHaveLength(runs);
    expect(await provider.requests(account.accountId)).toEqual(reads);

    const sender = webhookSender(service, ours.organizationId, "whsec_new");
    const deliver = async (secret: string) =>
      (await sender.send(await sender.customerEvent("created", "cus_secret"), { secret })).status;
    expect([await deliver("whsec_new"), await deliver("whsec_old"), await deliver("whsec_forged")]).toEqual([
      200, 200, 400,
    ]);
    expect(await ours.events("category=compliance")).toMatchObject([
      {
        eventType: "WEBHOOK_SECRETS_CHANGED",
        userId: "ada",
        metadata: { current: 1, replaced: 1 },
      },
    ]);
    expect((await service.logged()) + changed.text + JSON.stringify(await ours.events())).not.toContain("whsec_");
  });

  it("are refused without a connection, of another organization, and by a role that may not", async () => {
    const body = { webhookSecrets: ["whsec_new"] };
    expect(await ours.call("PUT", PATH, body)).toMatchObject({ status: 409, body: { error: 40903 } });
    await ours.connect(account.apiKey, { webhookSecret: "whsec_old" });
    const others = organizationOf(service, `${ours.organizationId}x`);
    expect(await others.call("PUT", PATH, body)).toMatchObject({ status: 409, body: { error: 40903 } });
    expect(await ours.call("PUT", PATH, body, { role: "member" })).toMatchObject({
      status: 403,
      body: { error: 40301 },
    });
  });

  it.each(
    sampleOf<[object]>(
      [
        [{}],
        [{ webhookSecret: "a" }],
        [{ webhookSecrets: [] }],
        [{ webhookSecrets: ["a", "b", "c", "d", "e"] }],
        [{ webhookSecrets: "a" }],
        [{ webhookSecrets: [""] }],
        [{ webhookSecrets: ["with space"] }],
        [{ webhookSecrets: [1] }],
      ],
      2,
    ),
  )("are refused as %j", async (body) => {
    const answer = await ours.call("PUT", PATH, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 40002, message: expect.stringContaining("webhookSecrets") },
    });
  });
});

describe("registering the webhook", () => {
  const ENDPOINTS = "/v1/webhook_endpoints";
  const register = (more: object = {}) => ours.connect(account.apiKey, { registerWebhook: true, ...more });
  const setup = async () => {
    const { webhookSetup } = (await ours.call("GET", "connection")).body as {
      webhookSetup?: { url: string; endpointId?: string; eventTypes: string[]; keyPermissions: object[] };
    };
    return webhookSetup;
  };
  const created = async () => (await provider.requests(account.accountId))[`POST ${ENDPOINTS}`] ?? 0;

  it("makes the provider deliver events, once for repeated requests", async () => {
    const before = await setup();
    expect(before).toMatchObject({
      url: `${service.stack.webhookUrl}/${ours.organizationId}`,
      eventTypes: expect.arrayContaining(["customer.created"]),
      keyPermissions: expect.arrayContaining([expect.objectContaining({ resource: "Customers", access: "read" })]),
    });
    expect(before).not.toHaveProperty("endpointId");
    const connected = await register();
    expect(connected).toMatchObject({
      status: 200,
      body: { status: "connected", webhookSetup: { endpointId: expect.stringMatching(/^we_/) } },
    });
    await ours.lastRun();
    expect(await register()).toMatchObject({ status: 200 });
    await ours.lastRun();
    expect(await created()).toBe(1);
    expect((connected.body as { webhookSetup: object }).webhookSetup).toEqual(await setup());

    const runs = (await ours.runs()).length;
    const { objects } = await provider.change(account.accountId, { action: "create_customer" });
    await eventually("the customer is a record", async () =>
      (await ours.records("customers")).find(({ id }) => objects.some((object) => object.id === id)),
    );
    const stripe = providerSdk(service, account.apiKey);
    const { id: ada } = await stripe.customers.create({ name: "Ada" });
    await stripe.customers.update(ada, { name: "Ada Lovelace" });
    await eventually("the client's own customer is a record", async () =>
      (await ours.records("customers")).find(({ id, name }) => id === ada && name === "Ada Lovelace"),
    );
    const unpaid = await stripe.invoices.create({ customer: ada });
    await stripe.invoiceItems.create({ customer: ada, invoice: unpaid.id, amount: 4_200 });
    await stripe.invoices.pay(unpaid.id);
    await eventually("the client's own invoice is a paid record", async () =>
      (await ours.records("invoices")).find(({ id, amountPaid }) => id === unpaid.id && amountPaid === 4_200),
    );
    await stripe.customers.del(ada);
    await eventually("the record of the client's own customer is deleted", async () =>
      (await ours.records("customers")).find(({ id, deleted }) => id === ada && deleted === true),
    );
    expect(await ours.runs()).toHaveLength(runs);
    const deliveries = await ours.events("eventType=WEBHOOK_RECEIVED");
    expect(deliveries.length).toBeGreaterThan(0);
    expect((await service.logged()) + connected.text).not.toContain("whsec_");

    expect((await ours.call("DELETE", "connection")).status).toBe(204);
    expect((await provider.requests(account.accountId))[`DELETE ${ENDPOINTS}/{id}`]).toBe(1);
  });

  it("is refused to a key without the permission, and waits for a provider that fails; nothing is stored", async () => {
    const fault = await provider.fail(account.accountId, { kind: "error", status: 403, pathPrefix: ENDPOINTS });
    const refused = await register();
    await provider.recover(fault);
    expect(refused).toMatchObject({
      status: 422,
      body: { error: 42202, message: expect.stringContaining("Webhook Endpoints: write") },
    });
    const outage = await provider.fail(account.accountId, { kind: "error", status: 503, pathPrefix: ENDPOINTS });
    const unreachable = await register();
    await provider.recover(outage);
    expect(unreachable).toMatchObject({ status: 503, body: { error: 50304 } });
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    expect(await ours.connect(account.apiKey)).toMatchObject({ status: 200 });
  });

  it.each(
    sampleOf<[object]>(
      [
        [{ method: "api_key", apiKey: "k", registerWebhook: true, webhookSecret: "a" }],
        [{ method: "api_key", apiKey: "k", registerWebhook: true, webhookSecrets: ["a"] }],
        [{ method: "oauth", code: "c", state: "s", registerWebhook: true }],
        [{ method: "api_key", apiKey: "k", registerWebhook: "yes" }],
      ],
      2,
    ),
  )("is refused as %j", async (body) => {
    const answer = await ours.call("PUT", "connection", body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 40002, message: expect.stringContaining("registerWebhook") },
    });
  });
});

describe("connecting by OAuth", () => {
  it("accepts code and state once", async () => {
    const { url, state } = await authorize(ours);
    expect(url).toContain(`state=${encodeURIComponent(state)}`);
    const granted = await grantAccess(ours, account.accountId);
    const connected = await ours.call("PUT", "connection", { method: "oauth", ...granted });
    expect(connected).toMatchObject({
      status: 200,
      body: { status: "connected", method: "oauth", accountId: account.accountId, tokenExpiresAt: expect.any(Number) },
    });
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded" });
    expect(await ours.call("PUT", "connection", { method: "oauth", ...granted })).toMatchObject({
      status: 400,
      body: { error: 40004 },
    });
  });

  it("gives the same refusal to a state of another user or organization and to a forged one", async () => {
    const others = organizationOf(service, `${ours.organizationId}x`);
    const { state } = await authorize(ours);
    const body = { method: "oauth", code: "a-code", state };
    const refusals = [
      await ours.call("PUT", "connection", body, { userId: "eve" }),
      await others.call("PUT", "connection", body),
      await ours.call("PUT", "connection", { ...body, state: `${state}x` }),
    ];
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: 400, body: { error: 40004 } });
    expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
  });
});
