import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createFixture, type Fixture, thrownBy } from "./simulator-fixture.ts";

const NORDLICHT = { accountId: "acct_1LocalNordlicht", key: "sk_test_local_nordlicht" };
type Wire = Record<string, unknown>;

const LEGACY = "2024-06-20";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.stop());

/** The answer as it is on the wire, in a version that the SDK's types do not know. */
const read = async (path: string, version: string | undefined, key = fixture.simulator.demo.apiKey) => {
  const response = await fetch(`${fixture.simulator.url}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...(version !== undefined && { "stripe-version": version }) },
  });
  expect(response.headers.get("stripe-version")).toBe(version ?? LEGACY);
  return { status: response.status, body: (await response.json()) as Wire & { data: Wire[] } };
};

describe("before basil", () => {
  it("a subscription has its period itself", async () => {
    const { body } = await read("/v1/subscriptions?limit=100", LEGACY);
    for (const subscription of body.data) {
      expect(Number(subscription.current_period_end)).toBeGreaterThan(Number(subscription.current_period_start));
      expect(JSON.stringify(subscription.items)).not.toContain("current_period");
    }
  });

  it("an invoice names subscription, payment and charge itself, and a payment its invoice", async () => {
    const { body } = await read("/v1/invoices?status=paid&limit=100", LEGACY);
    const invoice = body.data.find(({ subscription, charge }) => subscription !== null && charge !== null);
    expect(invoice).toBeDefined();
    expect(invoice).not.toHaveProperty("parent");
    const { body: intent } = await read(`/v1/payment_intents/${invoice?.payment_intent}`, LEGACY);
    expect(intent).toMatchObject({ invoice: invoice?.id, latest_charge: invoice?.charge });
    const { body: charge } = await read(`/v1/charges/${invoice?.charge}`, LEGACY);
    expect(charge).toMatchObject({ invoice: invoice?.id, payment_intent: invoice?.payment_intent });
    expect((await read("/v1/invoice_payments", LEGACY)).status).toBe(404);
  });
});

describe("since basil", () => {
  it("the items have the period", async () => {
    for (const version of ["2025-03-31.basil", "2026-10-28.endive"]) {
      const { body } = await read("/v1/subscriptions?limit=100", version);
      for (const subscription of body.data) {
        expect(subscription).not.toHaveProperty("current_period_end");
        expect(JSON.stringify(subscription.items)).toContain("current_period_end");
      }
    }
  });

  it("an invoice has a parent, and its payment is in a list of its own", async () => {
    const { body } = await read("/v1/invoices?status=paid&limit=100", "2025-03-31.basil");
    const invoice = body.data.find(({ parent }) => parent !== null);
    expect(invoice).toMatchObject({ parent: { type: "subscription_details", subscription_details: {} } });
    for (const moved of ["subscription", "payment_intent", "charge"]) expect(invoice).not.toHaveProperty(moved);
    const { body: legacy } = await read(`/v1/invoices/${invoice?.id}`, LEGACY);
    expect(invoice).toMatchObject({
      parent: { subscription_details: { subscription: legacy.subscription } },
    });
    const { body: payments } = await read(`/v1/invoice_payments?invoice=${invoice?.id}`, "2025-03-31.basil");
    expect(payments.data[0]).toMatchObject({ payment: { payment_intent: legacy.payment_intent } });
    expect((await read(`/v1/payment_intents/${legacy.payment_intent}`, "2025-03-31.basil")).body).not.toHaveProperty(
      "invoice",
    );
  });
});

describe("an account of before basil", () => {
  it("answers in its own version where a request names none", async () => {
    const { body } = await read("/v1/subscriptions", undefined, NORDLICHT.key);
    expect(body.data[0]).toHaveProperty("current_period_end");
  });

  it("has events in its own version whatever a request names", async () => {
    await fixture.told("POST /provider/changes", { accountId: NORDLICHT.accountId, action: "renew_subscription" });
    const events = await fixture.sdk(NORDLICHT.key).events.list({ type: "customer.subscription.updated", limit: 1 });
    expect(events.data[0]).toMatchObject({ api_version: LEGACY });
    expect(events.data[0]?.data.object).toHaveProperty("current_period_end");
    expect(Object.keys(events.data[0]?.data.previous_attributes ?? {})).not.toHaveLength(0);
  });

  it("is read by the SDK in the SDK's version", async () => {
    const sdk = fixture.sdk(NORDLICHT.key);
    const [subscription] = (await sdk.subscriptions.list({ limit: 1 })).data;
    expect(subscription).not.toHaveProperty("current_period_end");
    expect(subscription?.items.data[0]?.current_period_end).toBeGreaterThan(0);
    expect(String(subscription?.items.data[0]?.price.unit_amount_decimal)).toMatch(/^\d+$/);
  });
});

describe("a version that is none", () => {
  it("is refused", async () => {
    const sdk = fixture.sdk();
    const odd = () => sdk.customers.list({}, { apiVersion: "yesterday" });
    expect(await thrownBy(odd)).toMatchObject({ statusCode: 400, message: "Invalid Stripe API version: yesterday" });
  });
});
