import { describe, expect, it, jest } from "@jest/globals";
import Stripe from "stripe";
import { createStripeAdapter } from "../../../../shared/provider/stripe/adapter.ts";
import { usePerFile } from "../../../support/use-started.ts";
import * as given from "./fixtures.ts";
import { json, list, refusal, reset, silence, startWireServer } from "./wire-server.ts";

const DATE = "Sat, 21 Nov 2026 10:00:00 GMT";
const SECOND = Date.parse(DATE) / 1_000;

const server = usePerFile(startWireServer);

const platform = () => ({ secret: "sk_live_platform", signal: AbortSignal.timeout(60_000) });
const adapterAt = (path = "", clock = Date.now) => createStripeAdapter({ url: server.url + path, clock });
const as = (adapter = adapterAt(), secret = "sk_test_1") => adapter.at({ secret, signal: AbortSignal.timeout(60_000) });
const asked = () => server.arrived.map(({ method, path, parameters }) => [method, path, parameters]);

describe("a request", () => {
  it("has the secret and the API version, and no telemetry", async () => {
    server.answers(json(200, { id: "acct_1", object: "account", email: "ada@example.com" }));
    await expect(as().readAccount()).resolves.toEqual({ accountId: "acct_1" });
    expect(asked()).toEqual([["GET", "/v1/account", {}]]);
    const headers = server.arrived[0]?.headers ?? {};
    expect(headers).toMatchObject({ authorization: "Bearer sk_test_1", "stripe-version": "2026-10-28.endive" });
    expect(Object.keys(headers).sort()).toEqual(
      ["accept", "authorization", "connection", "content-type", "host", "stripe-version", "user-agent"].concat(
        "x-stripe-client-user-agent",
      ),
    );
    const client = JSON.parse(String(headers["x-stripe-client-user-agent"]));
    expect(client).not.toHaveProperty("platform");
    expect(client).not.toHaveProperty("application");
    expect(client).not.toHaveProperty("telemetry_id");
  });

  it.each([[""], ["/"], ["/some/where"], ["/some/where/"]])("is below the base's path: %j", async (prefix) => {
    server.answers(json(200, { id: "acct_1" }));
    await as(adapterAt(prefix)).readAccount();
    expect(server.arrived[0]?.path).toBe(`${prefix.replace(/\/$/, "")}/v1/account`);
  });

  it("goes to the provider's public URL by default", () => {
    expect(() => createStripeAdapter({ clock: Date.now })).not.toThrow();
    expect(() => createStripeAdapter({ url: "nowhere", clock: Date.now })).toThrow("Invalid URL");
  });

  it("is sent once if its connection is reset, unlike with the SDK alone", async () => {
    server.answers(reset);
    const requests = [
      () => as().readAccount(),
      () => as().listEvents({}),
      () => as().readObject("invoices", "in_1"),
      () => adapterAt().oauth.exchange({ refreshToken: "rt_1" }, platform()),
    ];
    for (const request of requests) await expect(request()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(server.arrived).toHaveLength(requests.length);

    const { hostname, port } = new URL(server.url);
    const sdk = new Stripe("sk_test_1", { host: hostname, port, protocol: "http", maxNetworkRetries: 0 });
    server.answers(reset);
    await expect(sdk.rawRequest("GET", "/v1/account")).rejects.toThrow();
    expect(server.arrived).toHaveLength(2);
  });

  it("is sent once if the provider asks for a retry", async () => {
    server.answers(refusal(500, { type: "api_error" }, { "Stripe-Should-Retry": "true" }));
    await expect(as().readAccount()).rejects.toMatchObject({ status: 500 });
    expect(server.arrived).toHaveLength(1);
  });

  it("does not print the provider's notices", async () => {
    const warned = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    server.answers(json(200, { id: "acct_1" }, { "Stripe-Notice": "Upgrade now" }));
    await as().readAccount();
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it("reuses its connection, but not one that was idle for long", async () => {
    let now = 1_000_000;
    const adapter = adapterAt("", () => now);
    server.answers(json(200, { id: "acct_1" }));
    const before = server.connections();
    const read = async () => {
      await as(adapter).readAccount();
      // A connection is reused once the whole answer was read.
      await new Promise((resolve) => setImmediate(resolve));
      return server.connections() - before;
    };
    expect(await read()).toBe(1);
    now += 4_000;
    expect(await read()).toBe(1);
    now += 4_001;
    expect(await read()).toBe(2);
    now -= 60_000;
    expect(await read()).toBe(3);
  });

  it("is aborted by its signal, while other requests continue", async () => {
    const adapter = adapterAt();
    const controller = new AbortController();
    server.answers(silence);
    const hanging = adapter.at({ secret: "sk_1", signal: controller.signal }).readAccount();
    while (server.arrived.length === 0) await new Promise((resolve) => setImmediate(resolve));
    server.answers(json(200, { id: "acct_1" }));
    await expect(as(adapter).readAccount()).resolves.toEqual({ accountId: "acct_1" });
    controller.abort();
    await expect(hanging).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("lists", () => {
  it.each([
    ["customers", "/v1/customers", given.customer, {}],
    ["subscriptions", "/v1/subscriptions", given.subscription, { status: "all" }],
    ["invoices", "/v1/invoices", given.invoice, {}],
    ["payments", "/v1/payment_intents", given.payment, {}],
    ["refunds", "/v1/refunds", given.refund, {}],
    ["disputes", "/v1/disputes", given.dispute, {}],
    ["payouts", "/v1/payouts", given.payout, {}],
  ] as const)("are read a page at a time: %s", async (type, path, object, extra) => {
    server.answers(list([object, { id: "last" }], true), list([object, { object: "invoice", amount_due: 1 }]));
    const first = await as().listObjects(type, {});
    expect(first.items.map((item) => [item.kind, item.type, item.id])).toEqual([
      ["state", type, object.id],
      ["state", type, "last"],
    ]);
    expect(first.next).toBe("last");
    const second = await as().listObjects(type, { after: first.next, createdUntil: 1_794_000_000 });
    expect(second.items.map(({ id }) => id)).toEqual([object.id]);
    expect(second.setAside).toEqual([{ kind: "set_aside", type, name: "(no id)", reason: "id" }]);
    expect(second.next).toBeUndefined();
    expect(asked()).toEqual([
      ["GET", path, { limit: "100", ...extra }],
      ["GET", path, { limit: "100", ...extra, "created[lte]": "1794000000", starting_after: "last" }],
    ]);
  });

  it("have the time of observation by the provider's clock", async () => {
    let now = 50_000;
    server.answers((response, arrived) => {
      now += 1_500;
      list([given.customer])(response.setHeader("Date", DATE), arrived);
    });
    const { items } = await as(adapterAt("", () => now)).listObjects("customers", {});
    expect(items[0]?.observedAt).toEqual({ from: SECOND - 3, to: SECOND });
  });

  it("leave out deleted objects", async () => {
    server.answers(list([{ id: "cus_1", deleted: true }, given.customer]));
    const { items } = await as().listObjects("customers", {});
    expect(items.map(({ id }) => id)).toEqual(["cus_Q1"]);
  });

  it.each([
    [{ object: "list", has_more: false }],
    [{ object: "list", data: {}, has_more: false }],
    [{ object: "list", data: [] }],
    // A next page, but no cursor.
    [{ object: "list", data: [], has_more: true }],
    [{ object: "list", data: [{ id: "\ud800" }, { id: 5 }, {}], has_more: true }],
  ])("fail if the answer is no complete list: %j", async (body) => {
    server.answers(json(200, body));
    await expect(as().listObjects("invoices", {})).rejects.toMatchObject({ kind: "provider", isRetryable: true });
  });

  it.each<[string, unknown[], string | undefined, { items: string[]; setAside: string[]; next: string }]>([
    [
      "the id as the provider writes it",
      [{ id: "cus_1" }, { id: "x".repeat(2_000) }],
      undefined,
      { items: ["cus_1"], setAside: ["x".repeat(255)], next: "x".repeat(2_000) },
    ],
    [
      "the last id that a URL can contain",
      [{ id: "cus_1" }, { id: "cus_\ud800" }, {}],
      undefined,
      { items: ["cus_1"], setAside: [], next: "cus_1" },
    ],
    [
      "another id than the page before, because the same page would follow",
      [{ id: "cus_1" }, { id: "cus_2" }, { id: "cus_9" }],
      "cus_9",
      { items: ["cus_1", "cus_2"], setAside: [], next: "cus_2" },
    ],
  ])("continue after %s; objects behind it come again", async (_what, data, after, expected) => {
    server.answers(list(data, true));
    const { items, setAside = [], next } = await as().listObjects("customers", { after });
    expect({ items: items.map(({ id }) => id), setAside: setAside.map(({ name }) => name), next }).toEqual(expected);
  });

  it("fail with missing if their cursor no longer exists", async () => {
    server.answers(refusal(400, { type: "invalid_request_error", code: "resource_missing", param: "starting_after" }));
    await expect(as().listObjects("invoices", { after: "in_9" })).rejects.toMatchObject({ reason: "missing" });
  });
});

describe("the event feed", () => {
  it("is read without a filter of types", async () => {
    server.answers(list([given.event("customer.deleted", given.customer), given.event("a.b", {})], true));
    const page = await as().listEvents({ since: 1_793_999_940, after: "evt_0", limit: 1 });
    expect(page.items.map(({ type, observations }) => [type, observations.length])).toEqual([
      ["customer.deleted", 1],
      ["a.b", 0],
    ]);
    expect(page.next).toBe("evt_1");
    expect(page.setAside).toEqual([]);
    await as().listEvents({});
    expect(asked()).toEqual([
      ["GET", "/v1/events", { limit: "1", "created[gte]": "1793999940", starting_after: "evt_0" }],
      ["GET", "/v1/events", { limit: "100" }],
    ]);
  });
});

it("the newest event of the feed may have no id that a page can start after", async () => {
  server.answers(list([{ ...given.event("customer.updated", given.customer), id: "\ud800" }], true));
  const page = await as().listEvents({ limit: 1 });
  expect(page).toMatchObject({ items: [{ createdSeconds: given.CREATED_SECONDS }] });
  expect(page.next).toBeUndefined();
});

it("an event dated after the answer does not become the feed's newest", async () => {
  const [late, good] = [SECOND + 61, SECOND + 60].map((created) =>
    given.event("customer.updated", given.customer, created),
  );
  server.answers((response, arrived) => list([late, good])(response.setHeader("Date", DATE), arrived));
  const page = await as().listEvents({});
  expect(page.items.map(({ createdSeconds }) => createdSeconds)).toEqual([SECOND + 60]);
  expect(page.setAside).toMatchObject([{ reason: "time" }]);
});

describe("an event of the feed without a time", () => {
  it("is set aside, and its own id is the cursor", async () => {
    const undated = { ...given.event("customer.updated", given.customer, -1), id: "evt/9" };
    server.answers(list([given.event("customer.updated", given.customer), undated], true));
    const page = await as().listEvents({});
    expect(page).toMatchObject({ next: "evt/9", items: [{ id: "evt_1" }] });
    expect(page.setAside).toEqual([
      { kind: "set_aside", type: "customers", id: "cus_Q1", name: "cus_Q1", reason: "time" },
    ]);
  });
});

describe("payment links", () => {
  it("are read from the list of invoice payments", async () => {
    const byCharge = { ...given.invoicePayment, id: "inpay_2", payment: { type: "charge", charge: "ch_1" } };
    server.answers(list([given.invoicePayment, byCharge], true));
    const page = await as().listPaymentLinks({ after: "inpay_0" });
    expect(page).toMatchObject({ items: [{ kind: "linked", id: "pi_1", invoiceId: "in_1" }], next: "inpay_2" });
    expect(asked()).toEqual([["GET", "/v1/invoice_payments", { limit: "100", starting_after: "inpay_0" }]]);
  });

  it("are undefined only if the provider has no such list", async () => {
    server.answers(
      refusal(404, { type: "invalid_request_error", message: "Unrecognized request URL" }),
      (response) => void response.writeHead(404).end("Cannot GET /v1/invoice_payments"),
      refusal(403, { type: "invalid_request_error" }),
      refusal(400, { type: "invalid_request_error" }),
    );
    await expect(as().listPaymentLinks({})).resolves.toBeUndefined();
    await expect(as().listPaymentLinks({})).resolves.toBeUndefined();
    await expect(as().listPaymentLinks({})).rejects.toMatchObject({ kind: "authorization" });
    await expect(as().listPaymentLinks({})).rejects.toMatchObject({ kind: "validation" });
  });
});

describe("a single object", () => {
  it.each([
    ["customers", "/v1/customers/cus_Q1", given.customer],
    ["subscriptions", "/v1/subscriptions/sub_1", given.subscription],
    ["invoices", "/v1/invoices/in_1", given.invoice],
    ["payments", "/v1/payment_intents/pi_1", given.payment],
    ["refunds", "/v1/refunds/re_1", given.refund],
    ["disputes", "/v1/disputes/dp_1", given.dispute],
    ["payouts", "/v1/payouts/po_1", given.payout],
  ] as const)("is read in its current state: %s", async (type, path, object) => {
    server.answers((response, arrived) => json(200, object)(response.setHeader("Date", DATE), arrived));
    const seen = await as().readObject(type, object.id);
    expect(seen).toMatchObject({ kind: "state", type, id: object.id, observedAt: { to: SECOND } });
    expect(asked()).toEqual([["GET", path, {}]]);
  });

  it.each([
    json(200, { id: "cus_1", object: "customer", deleted: true }, { Date: DATE }),
    refusal(404, { type: "invalid_request_error", code: "resource_missing" }, { Date: DATE }),
  ])("counts as deleted if the provider marks it as deleted or does not find it", async (answer) => {
    server.answers(answer);
    const seen = await as().readObject("customers", "cus_1");
    expect(seen).toMatchObject({ kind: "deleted", type: "customers", id: "cus_1", observedAt: { to: SECOND } });
  });

  it("is not deleted if the URL, the mode or the answer is wrong", async () => {
    server.answers(
      refusal(404, { type: "invalid_request_error", message: "Unrecognized request URL (GET: /v1/invoices/in_1)." }),
      refusal(404, {
        code: "resource_missing",
        message: "No such invoice: 'in_1'; a similar object exists in live mode, but a test mode key was used",
      }),
      (response) => void response.writeHead(404).end("<html>"),
      json(200, given.oldInvoice),
    );
    for (const kind of ["validation", "validation", "network", "validation"]) {
      await expect(as().readObject("invoices", "in_1")).rejects.toMatchObject({ kind });
    }
  });

  it("is read by an encoded id", async () => {
    server.answers(json(200, { id: "a/../b?c=d" }));
    await as().readObject("customers", "a/../b?c=d");
    expect(asked()).toEqual([["GET", "/v1/customers/a%2F..%2Fb%3Fc%3Dd", {}]]);
  });
});

describe("OAuth", () => {
  const exchange = (grant: { code: string } | { refreshToken: string }) =>
    adapterAt().oauth.exchange(grant, platform());
  const tokens = { access_token: "at_2", refresh_token: "rt_2", stripe_user_id: "acct_1", token_type: "bearer" };

  it.each([
    [{ code: "ac_1" }, { grant_type: "authorization_code", code: "ac_1" }],
    [{ refreshToken: "rt_1" }, { grant_type: "refresh_token", refresh_token: "rt_1" }],
  ])("exchanges %j as the platform", async (grant, form) => {
    server.answers(json(200, tokens));
    await expect(exchange(grant)).resolves.toEqual({ accessToken: "at_2", refreshToken: "rt_2", accountId: "acct_1" });
    expect(asked()).toEqual([["POST", "/v1/oauth/token", form]]);
    expect(server.arrived[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("sk_live_platform:").toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    });
  });

  it("keeps a refresh token that was not replaced, and requires one for a code", async () => {
    const { refresh_token: _, ...without } = tokens;
    server.answers(json(200, without));
    await expect(exchange({ refreshToken: "rt_1" })).resolves.toMatchObject({ refreshToken: "rt_1" });
    await expect(exchange({ code: "ac_1" })).rejects.toMatchObject({ kind: "provider" });
    server.answers(json(200, { ...tokens, access_token: 5 }));
    await expect(exchange({ refreshToken: "rt_1" })).rejects.toMatchObject({ kind: "provider" });
  });

  it("does not require an account id", async () => {
    const { stripe_user_id: _, ...without } = tokens;
    server.answers(json(200, without));
    await expect(exchange({ code: "ac_1" })).resolves.toEqual({ accessToken: "at_2", refreshToken: "rt_2" });
  });

  it("also recognizes an invalid grant by the error code", async () => {
    server.answers(json(400, { error: { type: "invalid_request_error", code: "invalid_grant" } }));
    await expect(exchange({ code: "ac_1" })).rejects.toMatchObject({ reason: "invalid_grant" });
  });

  it.each([
    ["invalid_grant", 400, { kind: "authentication", outcome: "success", reason: "invalid_grant" }],
    ["invalid_client", 401, { kind: "authentication", outcome: "failure", reason: undefined }],
    ["invalid_request", 400, { kind: "validation", outcome: "success" }],
    ["server_error", 500, { kind: "network", outcome: "failure" }],
  ])("distinguishes refusals: %s", async (code, status, expected) => {
    server.answers(json(status, { error: code, error_description: "Authorization code ac_secret does not exist" }));
    const refused = exchange({ code: "ac_secret" });
    await expect(refused).rejects.toMatchObject({ ...expected, code, status });
    await expect(refused).rejects.toThrow(`The provider answered ${status} (${code}).`);
  });
});
