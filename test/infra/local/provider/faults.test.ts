import { afterEach, describe, expect, it } from "@jest/globals";
import Stripe from "stripe";
import { usePerTest } from "../../../support/use-started.ts";
import { createFixture, thrownBy } from "./simulator-fixture.ts";

const fixture = usePerTest(createFixture);
const stripe = usePerTest(() => fixture.sdk());
afterEach(() => {
  expect(fixture.errors).toEqual([]);
});

const fail = (fault: Record<string, unknown>) => fixture.request<{ id: number }>("POST /provider/faults", fault);
const refused = async (fault: Record<string, unknown>) =>
  (await fixture.control("POST /provider/faults", fault)).status;
const list = (sdk = stripe) => sdk.customers.list({ limit: 1 });
const clear = () => fixture.request("DELETE /provider/faults");
type Shown = {
  requests: Record<string, { total: number; byPath: Record<string, number>; byStatus: Record<string, number> }>;
  faults: { id: number; kind: string; seen: number; hits: number }[];
};
const shown = () => fixture.request<Shown>("GET /provider");
/** The number of requests that the simulator received. */
const total = async () => Object.values((await shown()).requests).reduce((sum, { total: one }) => sum + one, 0);

describe("credentials", () => {
  it("cause 401 if they are unknown", async () => {
    const error = await thrownBy(() => list(fixture.sdk("sk_test_nobody_at_all")));
    expect(error).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
    expect(error).toMatchObject({ statusCode: 401, rawType: "invalid_request_error" });
    expect(error.message).toBe("Invalid API Key provided: sk_test_*********_all");
    const response = await fetch(`${fixture.simulator.url}/v1/account`);
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Stripe"']);
  });

  it("may be sent as a user name", async () => {
    const authorization = `Basic ${Buffer.from(`${fixture.simulator.demo.apiKey}:`).toString("base64")}`;
    const response = await fetch(`${fixture.simulator.url}/v1/account`, { headers: { authorization } });
    expect(await response.json()).toMatchObject({ id: fixture.simulator.demo.accountId });
  });

  it("give no access to another account", async () => {
    const error = await thrownBy(() => stripe.customers.list({}, { stripeAccount: "acct_1LocalKumoTea" }));
    expect(error).toBeInstanceOf(Stripe.errors.StripePermissionError);
  });
});

describe("paths", () => {
  it("that do not exist cause 404", async () => {
    for (const path of ["/v1/unicorns", "/v2/customers", "/v1/customers/a/b", "/v1/customers/%zz", "/"])
      expect(await thrownBy(() => stripe.rawRequest("GET", path))).toMatchObject({ statusCode: 404 });
    for (const path of ["/v1/coupons", "/v1/customers/a/b", "/v1/customers/%zz", "/v1/invoices/a/refund"])
      expect(await thrownBy(() => stripe.rawRequest("POST", path))).toMatchObject({ statusCode: 404 });
  });
});

describe("a fault", () => {
  it.each(["global-rate", "endpoint-rate", "global-concurrency", "endpoint-concurrency", "resource-specific"])(
    "limits the rate because of %s",
    async (reason) => {
      await fail({ kind: "rate_limit", reason, times: 1, retryAfterSeconds: 2 });
      const error = await thrownBy(list);
      expect(error).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
      expect(error).toMatchObject({ statusCode: 429, code: "rate_limit" });
      expect(error.headers).toMatchObject({ "stripe-rate-limited-reason": reason, "retry-after": "2" });
      await list();
    },
  );

  it("locks an object; the SDK retries by itself", async () => {
    await fail({ kind: "lock_timeout", times: 1 });
    const error = await thrownBy(list);
    expect(error).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
    expect(error.code).toBe("lock_timeout");
    expect(error.headers).not.toHaveProperty("stripe-rate-limited-reason");
    await fail({ kind: "lock_timeout", times: 1 });
    await list(fixture.sdk(undefined, { maxNetworkRetries: 1 }));
    await fail({ kind: "rate_limit", times: 1 });
    await thrownBy(() => list(fixture.sdk(undefined, { maxNetworkRetries: 1 })));
  });

  it.each([
    [400, Stripe.errors.StripeInvalidRequestError],
    [401, Stripe.errors.StripeAuthenticationError],
    [402, Stripe.errors.StripeCardError],
    [403, Stripe.errors.StripePermissionError],
    [404, Stripe.errors.StripeInvalidRequestError],
    [409, Stripe.errors.StripeAPIError],
    [500, Stripe.errors.StripeAPIError],
    [502, Stripe.errors.StripeAPIError],
    [503, Stripe.errors.StripeAPIError],
    [504, Stripe.errors.StripeAPIError],
  ])("answers %d, which the SDK recognises", async (status, raised) => {
    await fail({ kind: "error", status, times: 1 });
    const error = await thrownBy(list);
    expect(error).toBeInstanceOf(raised);
    expect(error.statusCode).toBe(status);
    expect(error.requestId).toMatch(/^req_/);
  });

  it.each([502, 200])("answers an HTML page instead of JSON, with %d", async (status) => {
    await fail({ kind: "html", status, times: 1 });
    const error = await thrownBy(list);
    expect(error).toBeInstanceOf(Stripe.errors.StripeAPIError);
    expect(error.message).toBe("Invalid JSON received from the Stripe API");
  });

  it.each(["before", "middle"])("drops the connection, %s", async (when) => {
    // Despite its settings, the SDK retries a reset connection once if it has received no data.
    await fail({ kind: "reset", when, times: when === "before" ? 2 : 1 });
    const error = await thrownBy(list);
    expect(error).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    await list();
  });

  it("never answers", async () => {
    await fail({ kind: "timeout", times: 1 });
    const error = await thrownBy(() => stripe.customers.list({}, { timeout: 100 }));
    expect(error).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(error.message).toContain("timeout");
  });

  it("delays the normal answer", async () => {
    await fail({ kind: "slow", ms: 300 });
    expect(await thrownBy(() => stripe.customers.list({}, { timeout: 100 }))).toBeInstanceOf(
      Stripe.errors.StripeConnectionError,
    );
    expect((await list()).data).toHaveLength(1);
    await fail({ kind: "error", status: 500 });
    expect(await thrownBy(() => stripe.customers.list({}, { timeout: 100 }))).toBeInstanceOf(
      Stripe.errors.StripeConnectionError,
    );
    expect(await thrownBy(list)).toMatchObject({ statusCode: 500 });
  });

  it("does not keep the simulator from stopping", async () => {
    await fail({ kind: "slow", ms: 300_000, times: 1 });
    await fail({ kind: "timeout", pathPrefix: "/v1/invoices", times: 1 });
    const under = [thrownBy(list), thrownBy(() => stripe.invoices.list())];
    while ((await total()) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await fixture.restart();
    await Promise.all(under.map((one) => one.catch(() => {})));
  });
});

describe("the requests that a fault affects", () => {
  it("are those of an account and a path prefix, up to a number", async () => {
    await fail({
      kind: "error",
      status: 500,
      accountId: fixture.simulator.demo.accountId,
      pathPrefix: "/v1/inv",
      times: 2,
    });
    await list();
    await list(fixture.sdk("sk_test_local_kumo_tea"));
    await fixture.sdk("sk_test_local_kumo_tea").invoices.list();
    await thrownBy(() => stripe.invoices.list());
    await thrownBy(() => stripe.invoicePayments.list());
    await stripe.invoices.list();
    expect((await shown()).faults).toEqual([]);
  });

  it("are all requests until the fault, or every fault, is cleared", async () => {
    const { id } = await fail({ kind: "error", status: 500 });
    await fail({ kind: "error", status: 403 });
    for (let time = 0; time < 3; time++) expect(await thrownBy(list)).toMatchObject({ statusCode: 500 });
    expect((await shown()).faults).toMatchObject([{ id, kind: "error", seen: 3, hits: 3 }, { seen: 0 }]);
    expect(await fixture.control("DELETE /provider/faults", undefined, `id=${id}`)).toMatchObject({
      body: { cleared: 1 },
    });
    expect(await thrownBy(list)).toMatchObject({ statusCode: 403 });
    expect(await clear()).toEqual({ cleared: 1 });
    await list();
  });

  it("are chosen at random by a seed, and are the same for the same seed", async () => {
    const hits = async (seed: number) => {
      await clear();
      await fail({ kind: "error", status: 500, probability: 0.5, seed, times: 30 });
      const outcomes: boolean[] = [];
      for (let request = 0; request < 30; request++)
        outcomes.push(
          await list().then(
            () => false,
            () => true,
          ),
        );
      return outcomes;
    };
    const first = await hits(1);
    expect(first.filter(Boolean).length).toBeGreaterThan(5);
    expect(first.filter(Boolean).length).toBeLessThan(25);
    expect(await hits(1)).toEqual(first);
    expect(await hits(2)).not.toEqual(first);
    expect((await shown()).faults).toEqual([]);
  });

  it("are the same after a restart", async () => {
    await fail({ kind: "error", status: 503, times: 3 });
    await thrownBy(list);
    await fixture.restart();
    const listAgain = () => list(fixture.sdk());
    await thrownBy(listAgain);
    await thrownBy(listAgain);
    await listAgain();
  });

  it("cannot be set by a malformed fault", async () => {
    expect(await refused({ kind: "gremlin" })).toBe(400);
    expect(await refused({ kind: "error", status: 418 })).toBe(400);
    expect(await refused({ kind: "rate_limit", reason: "mood" })).toBe(400);
    expect(await refused({ kind: "timeout", times: 0 })).toBe(400);
    expect(await refused({ kind: "timeout", accountId: "acct_none" })).toBe(404);
    await list();
  });
});

describe("the simulator's state", () => {
  it("shows accounts with keys and objects, and requests by account, path and outcome", async () => {
    await list();
    const [customer] = (await list()).data;
    await stripe.customers.retrieve(customer?.id ?? "");
    await thrownBy(() => list(fixture.sdk("sk_test_nobody_at_all")));
    await fail({ kind: "error", status: 500, times: 1 });
    await thrownBy(() => stripe.events.list());
    const body = await shown();
    const { accountId, apiKey } = fixture.simulator.demo;
    expect(body).toMatchObject({
      url: fixture.simulator.url,
      pendingDeliveries: 0,
      accounts: [
        { accountId, apiKey, name: "Bright Bikes", objects: { customer: expect.any(Number) } },
        { accountId: "acct_1LocalNordlicht", apiKey: "sk_test_local_nordlicht" },
        { accountId: "acct_1LocalKumoTea", apiKey: "sk_test_local_kumo_tea" },
      ],
    });
    expect(body.requests[accountId]).toMatchObject({
      total: 4,
      peakPerSecond: 4,
      byPath: { "GET /v1/customers": 2, "GET /v1/customers/{id}": 1, "GET /v1/events": 1 },
      byStatus: { 200: 3, 500: 1 },
    });
    expect(body.requests.unknown).toMatchObject({ total: 1, byStatus: { 401: 1 } });
  });
});
