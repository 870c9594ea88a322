import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import type Stripe from "stripe";
import { writes } from "../../../../infra/local/provider/wire/writes/writes.ts";
import { usePerFile } from "../../../support/use-started.ts";
import { createFixture, thrownBy } from "./simulator-fixture.ts";

const fixture = usePerFile(createFixture);
const stripe = usePerFile(() => fixture.sdk());
afterAll(() => {
  expect(fixture.errors).toEqual([]);
});

const PRICE = "price_1BrightBikes0month";
const LARGE_PRICE = "price_1BrightBikes2month";
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
/** The types of the events that the work causes, sorted. */
const eventsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  fixture.pass(1_000);
  await work();
  const { data } = await stripe.events.list({ created: { gte: fixture.nowSeconds() }, limit: 100 });
  return data.map(({ type }) => type).sort();
};
const customer = (parameters: Stripe.CustomerCreateParams = {}) => stripe.customers.create(parameters);
/** A draft with one line. */
const draft = async (amount = 4_200) => {
  const { id } = await customer();
  const invoice = await stripe.invoices.create({ customer: id });
  await stripe.invoiceItems.create({ customer: id, invoice: invoice.id, amount, description: "Repair" });
  return invoice;
};

describe("customers", () => {
  it("are created, read, updated, listed and deleted, each with its event", async () => {
    let id = "";
    const created = await eventsOf(async () => {
      const made = await customer({ name: "Ada", email: "ada@example.com", metadata: { order: "7", shop: "Bonn" } });
      expect(made).toMatchObject({ object: "customer", name: "Ada", phone: null, metadata: { order: "7" } });
      id = made.id;
    });
    expect(created).toEqual(["customer.created"]);
    expect((await stripe.customers.list({ limit: 1 })).data[0]?.id).toBe(id);

    const updated = await eventsOf(() =>
      stripe.customers.update(id, { name: "", email: "new@example.com", metadata: { order: "", size: "L" } }),
    );
    expect(updated).toEqual(["customer.updated"]);
    expect(await stripe.customers.retrieve(id)).toMatchObject({
      name: null,
      email: "new@example.com",
      metadata: { shop: "Bonn", size: "L" },
    });
    const [event] = (await stripe.events.list({ limit: 1 })).data;
    expect(event?.data.previous_attributes).toMatchObject({ name: "Ada", email: "ada@example.com" });
    expect(await stripe.customers.update(id, { metadata: "" })).toMatchObject({ metadata: {} });
    expect(await eventsOf(() => stripe.customers.update(id, { email: "new@example.com" }))).toEqual([]);

    expect(await eventsOf(() => stripe.customers.del(id))).toEqual(["customer.deleted"]);
    expect(plain(await stripe.customers.retrieve(id))).toEqual({ id, object: "customer", deleted: true });
    const again = { statusCode: 404, code: "resource_missing", param: "id", message: `No such customer: '${id}'` };
    expect(await thrownBy(() => stripe.customers.del(id))).toMatchObject(again);
    expect(await thrownBy(() => stripe.customers.update(id, {}))).toMatchObject(again);
  });

  it("are listed once over all pages, created while they are read or not", async () => {
    const made = new Set<string>();
    for (let i = 0; i < 12; i++) made.add((await customer()).id);
    const listed: string[] = [];
    for await (const { id } of stripe.customers.list({ limit: 5 })) {
      if (listed.length < 20) listed.push(id);
      else break;
    }
    expect(new Set(listed).size).toBe(listed.length);
    expect([...made].every((id) => listed.includes(id))).toBe(true);
  });
});

describe("subscriptions", () => {
  it("are created with a paid invoice, by the id of a price", async () => {
    const { id } = await customer();
    let made: Stripe.Subscription | undefined;
    const types = await eventsOf(async () => {
      made = await stripe.subscriptions.create({ customer: id, items: [{ price: PRICE, quantity: 3 }] });
    });
    expect(types).toEqual(
      expect.arrayContaining(["customer.subscription.created", "invoice.paid", "charge.succeeded"]),
    );
    expect(made).toMatchObject({ status: "active", customer: id, collection_method: "charge_automatically" });
    expect(made?.items.data).toMatchObject([{ quantity: 3, price: { id: PRICE, unit_amount: 1_900 } }]);
    const invoice = await stripe.invoices.retrieve(String(made?.latest_invoice));
    expect(invoice).toMatchObject({ status: "paid", amount_paid: 5_700, billing_reason: "subscription_create" });
  });

  it("have the prices that the account lists", async () => {
    const listed: string[] = [];
    for await (const { id } of stripe.prices.list({ limit: 4 })) listed.push(id);
    expect(listed).toHaveLength(6);
    expect(listed).toContain(PRICE);
    const last = await stripe.prices.list({ limit: 2, ending_before: listed[4] ?? "" });
    expect(last).toMatchObject({ data: [{ id: listed[2] }, { id: listed[3] }], has_more: true });
    expect(await stripe.prices.retrieve(PRICE)).toMatchObject({ unit_amount: 1_900, currency: "eur" });
    expect(await thrownBy(() => stripe.prices.retrieve("price_none"))).toMatchObject({ statusCode: 404 });
    expect(await thrownBy(() => stripe.prices.list({ starting_after: "x" }))).toMatchObject({
      code: "resource_missing",
    });
    expect((await stripe.prices.list({ created: { gt: 1_700_000_000 } })).data).toEqual([]);
  });

  it("are created with a described price, as a trial, or with an invoice that is sent", async () => {
    const { id } = await customer();
    const price_data = {
      currency: "eur",
      product: "prod_x",
      unit_amount: 500,
      recurring: { interval: "year" },
    } as const;
    const trial = await stripe.subscriptions.create({ customer: id, items: [{ price_data }], trial_period_days: 14 });
    expect(trial).toMatchObject({ status: "trialing", trial_end: fixture.nowSeconds() + 14 * 86_400 });
    expect(trial.items.data[0]?.price).toMatchObject({ unit_amount: 500, recurring: { interval: "year" } });
    const sent = await stripe.subscriptions.create({
      customer: id,
      items: [{ price: PRICE }],
      collection_method: "send_invoice",
      days_until_due: 7,
    });
    expect(sent).toMatchObject({ status: "active", days_until_due: 7 });
    expect(await stripe.invoices.retrieve(String(sent.latest_invoice))).toMatchObject({
      status: "open",
      due_date: fixture.nowSeconds() + 7 * 86_400,
    });
  });

  it("are updated, set to end with the period, and cancelled once", async () => {
    const { id: owner } = await customer();
    const { id, items } = await stripe.subscriptions.create({ customer: owner, items: [{ price: PRICE }] });
    const first = items.data[0]?.id ?? "";
    const changed = await stripe.subscriptions.update(id, {
      items: [{ id: first, quantity: 5 }, { price: LARGE_PRICE }],
      metadata: { seats: "5" },
    });
    expect(changed.items.data).toMatchObject([{ id: first, quantity: 5 }, { price: { id: LARGE_PRICE } }]);
    const removed = await stripe.subscriptions.update(id, { items: [{ id: first, deleted: true }] });
    expect(removed.items.data).toMatchObject([{ price: { id: LARGE_PRICE }, quantity: 1 }]);
    expect(await eventsOf(() => stripe.subscriptions.update(id, { cancel_at_period_end: true }))).toEqual([
      "customer.subscription.updated",
    ]);
    const kept = await stripe.subscriptions.update(id, { cancel_at_period_end: false });
    expect(kept).toMatchObject({ cancel_at_period_end: false, canceled_at: null, metadata: { seats: "5" } });
    expect(await eventsOf(() => stripe.subscriptions.cancel(id))).toEqual(["customer.subscription.deleted"]);
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: "canceled" });
    expect(await thrownBy(() => stripe.subscriptions.cancel(id))).toMatchObject({ code: "resource_missing" });
    const late = () => stripe.subscriptions.update(id, { cancel_at_period_end: true });
    expect(await thrownBy(late)).toMatchObject({ statusCode: 400, message: expect.stringMatching(/^A canceled/) });
    expect(await stripe.subscriptions.update(id, { metadata: { why: "moved" } })).toMatchObject({
      metadata: { seats: "5", why: "moved" },
    });
  });
});

describe("invoices", () => {
  it("are drafted, filled, updated, finalized and paid", async () => {
    const { id } = await draft();
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: "draft", amount_due: 4_200, number: null });
    await stripe.invoices.update(id, { collection_method: "send_invoice", days_until_due: 3, description: "Thanks" });
    const types = await eventsOf(() => stripe.invoices.finalizeInvoice(id));
    expect(types).toEqual(["invoice.finalized", "invoice.sent", "invoice.updated", "payment_intent.created"]);
    const paid = await stripe.invoices.pay(id);
    expect(paid).toMatchObject({ status: "paid", amount_paid: 4_200, description: "Thanks" });
    expect(paid.due_date).toBe(fixture.nowSeconds() + 3 * 86_400);
    expect(await thrownBy(() => stripe.invoices.pay(id))).toMatchObject({ message: "Invoice is already paid" });
    const twice = () => stripe.invoices.finalizeInvoice(id);
    expect(await thrownBy(twice)).toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/already finalized/),
    });
    expect(await thrownBy(() => stripe.invoices.voidInvoice(id))).toMatchObject({ statusCode: 400 });
    const late = () => stripe.invoices.update(id, { description: "Late" });
    expect(await thrownBy(late)).toMatchObject({ code: "invoice_not_editable" });
    expect(await stripe.invoices.update(id, { metadata: { booked: "yes" } })).toMatchObject({ status: "paid" });
  });

  it("are deleted as drafts only, voided and marked uncollectible", async () => {
    const { id } = await draft();
    expect(await eventsOf(() => stripe.invoices.del(id))).toEqual(["invoice.deleted"]);
    expect(await thrownBy(() => stripe.invoices.retrieve(id))).toMatchObject({ statusCode: 404 });
    const open = await stripe.invoices.finalizeInvoice((await draft()).id);
    expect(await thrownBy(() => stripe.invoices.del(open.id))).toMatchObject({
      message: "You can only delete draft invoices.",
    });
    expect(await stripe.invoices.markUncollectible(open.id)).toMatchObject({ status: "uncollectible" });
    expect(await stripe.invoices.voidInvoice(open.id)).toMatchObject({ status: "void" });
  });

  it("stay open if the bank declines the payment, and are paid with another card", async () => {
    const { id } = await draft();
    const decline = () => stripe.invoices.pay(id, { payment_method: "pm_card_visa_chargeDeclinedInsufficientFunds" });
    const types = await eventsOf(async () => {
      expect(await thrownBy(decline)).toMatchObject({
        type: "StripeCardError",
        statusCode: 402,
        code: "card_declined",
        decline_code: "insufficient_funds",
        payment_intent: { status: "requires_payment_method", amount: 4_200 },
      });
    });
    expect(types).toEqual(expect.arrayContaining(["charge.failed", "invoice.payment_failed"]));
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: "open", attempt_count: 1 });
    expect(await stripe.invoices.pay(id, { payment_method: "pm_card_visa" })).toMatchObject({ status: "paid" });
  });

  it("of a subscription that is past due make it active again when they are paid", async () => {
    const { id: owner } = await customer();
    const { id } = await stripe.subscriptions.create({ customer: owner, items: [{ price: PRICE }] });
    await fixture.request("POST /provider/changes", { action: "renew_subscription", id });
    const invoice = String((await stripe.subscriptions.retrieve(id)).latest_invoice);
    await thrownBy(() => stripe.invoices.pay(invoice, { payment_method: "pm_card_visa_chargeDeclined" }));
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: "past_due" });
    await stripe.invoices.pay(invoice);
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: "active" });
  });
});

describe("payments", () => {
  it("are created, confirmed, declined, cancelled and refunded", async () => {
    const { id: owner } = await customer();
    const made = await stripe.paymentIntents.create({ amount: 900, currency: "eur", customer: owner });
    expect(made).toMatchObject({ status: "requires_payment_method", amount: 900, customer: owner });
    const declined = { payment_method: "pm_card_chargeDeclinedExpiredCard" };
    const confirm = () => stripe.paymentIntents.confirm(made.id, declined);
    expect(await thrownBy(confirm)).toMatchObject({ statusCode: 402, code: "expired_card" });
    await stripe.paymentIntents.update(made.id, { description: "Order 7", metadata: { order: "7" } });
    expect(await stripe.paymentIntents.confirm(made.id)).toMatchObject({
      status: "succeeded",
      amount_received: 900,
      description: "Order 7",
      metadata: { order: "7" },
    });
    expect(await thrownBy(() => stripe.paymentIntents.cancel(made.id))).toMatchObject({
      code: "payment_intent_unexpected_state",
    });
    const refund = () => stripe.refunds.create({ payment_intent: made.id, amount: 600 });
    expect(await refund()).toMatchObject({ object: "refund", amount: 600, payment_intent: made.id });
    expect(await thrownBy(refund)).toMatchObject({ statusCode: 400, param: "amount" });
    expect(await stripe.refunds.create({ payment_intent: made.id })).toMatchObject({ amount: 300 });
    expect(await thrownBy(refund)).toMatchObject({ code: "charge_already_refunded" });
    const other = await stripe.paymentIntents.create({ amount: 100, currency: "eur" });
    const reason = { cancellation_reason: "duplicate" } as const;
    expect(await stripe.paymentIntents.cancel(other.id, reason)).toMatchObject({ status: "canceled" });
    expect(await stripe.paymentIntents.create({ amount: 100, currency: "eur", confirm: true })).toMatchObject({
      status: "succeeded",
    });
  });

  it("of an invoice pay it", async () => {
    const { id } = await draft();
    await stripe.invoices.finalizeInvoice(id);
    const [link] = (await stripe.invoicePayments.list({ invoice: id })).data;
    const intent = String(link?.payment.payment_intent);
    expect(await thrownBy(() => stripe.paymentIntents.cancel(intent))).toMatchObject({ statusCode: 400 });
    await stripe.paymentIntents.confirm(intent);
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: "paid" });
  });
});

describe("webhook endpoints", () => {
  it("are updated, disabled, and listed over pages", async () => {
    const made: string[] = [];
    for (let i = 0; i < 12; i++)
      made.unshift(
        (
          await stripe.webhookEndpoints.create({
            url: `http://127.0.0.1:9/${i}`,
            enabled_events: ["*"],
            metadata: { i: String(i) },
          })
        ).id,
      );
    const listed: string[] = [];
    for await (const { id } of stripe.webhookEndpoints.list({ limit: 5 })) listed.push(id);
    expect(listed).toEqual(made);
    const [id = ""] = made;
    const changed = await stripe.webhookEndpoints.update(id, {
      url: "http://127.0.0.1:9/new",
      enabled_events: ["customer.created", "invoice.paid"],
      disabled: true,
      metadata: { i: "" },
    });
    expect(changed).toMatchObject({
      url: "http://127.0.0.1:9/new",
      enabled_events: ["customer.created", "invoice.paid"],
      status: "disabled",
      metadata: {},
    });
    const wrong = () => stripe.webhookEndpoints.update(id, { url: "ftp://x" });
    expect(await thrownBy(wrong)).toMatchObject({ code: "url_invalid" });
    expect(await thrownBy(() => stripe.webhookEndpoints.update("we_none", {}))).toMatchObject({ statusCode: 404 });
    for (const one of made) await stripe.webhookEndpoints.del(one);
  });
});

describe("docs/provider-simulator.md", () => {
  it("lists every operation with its parameters", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/provider-simulator.md"), "utf8");
    const listed = page.split("\n").filter((line) => /^\| `(POST|DELETE) \/v1\//.test(line));
    const rows = writes.map(({ route, parameters }) => {
      const names = parameters.map((name) => `\`${name}\``).join(", ");
      return `| \`${route}\` | ${names || "none"} |`;
    });
    expect(listed).toEqual(rows);
  });
});

describe("a refusal", () => {
  /** Sends what the types of the SDK forbid. */
  const post =
    (path: string, parameters: object = {}) =>
    () =>
      stripe.rawRequest("POST", path, parameters as Record<string, unknown>);
  const price = { price: PRICE };

  it.each<[string, string, object, object]>([
    ["an unknown parameter", "/v1/customers", { nickname: "x" }, { code: "parameter_unknown", param: "nickname" }],
    ["expand", "/v1/customers", { expand: ["sources"] }, { code: "parameter_unknown", param: "expand" }],
    ["a missing parameter", "/v1/subscriptions", { items: [price] }, { code: "parameter_missing", param: "customer" }],
    ["an empty value", "/v1/invoices", { customer: "" }, { code: "parameter_invalid_empty", param: "customer" }],
    ["no integer", "/v1/customers", { balance: "much" }, { code: "parameter_invalid_integer", param: "balance" }],
    ["a bad address", "/v1/customers", { email: "ada" }, { code: "email_invalid", param: "email" }],
    ["no currency", "/v1/payment_intents", { amount: 1, currency: "e!" }, { param: "currency" }],
    ["a text for metadata", "/v1/customers", { metadata: "x" }, { param: "metadata" }],
    ["a long metadata key", "/v1/customers", { metadata: { ["k".repeat(41)]: "x" } }, { param: expect.anything() }],
    ["an unknown customer", "/v1/invoices", { customer: "cus_none" }, { code: "resource_missing", param: "customer" }],
  ])("names %s", async (_, path, parameters, error) => {
    const thrown = await thrownBy(post(path, parameters));
    expect(thrown).toMatchObject({ type: "StripeInvalidRequestError", statusCode: 400, ...error });
  });

  it.each<[object, string]>([
    [{ items: [{ price: "price_none" }] }, "items[0][price]"],
    [{ items: [price, { ...price, colour: "red" }] }, "items[1][colour]"],
    [{ items: [{ quantity: 2 }] }, "items[0][price]"],
    [{ items: [{ ...price, quantity: "two" }] }, "items[0][quantity]"],
    [{ items: [{ price_data: { product: "p", unit_amount: 1, recurring: { interval: "day" } } }] }, "currency"],
    [{ items: [price], collection_method: "by_post" }, "collection_method"],
    [{ items: [price], collection_method: "send_invoice" }, "days_until_due"],
    [{ items: [price], days_until_due: 3 }, "days_until_due"],
    [{ items: [price, { price: "price_1BrightBikes0year" }] }, "items"],
    [{ items: "all" }, "items"],
    [{}, "items"],
  ])("of the subscription %j names %s", async (parameters, param) => {
    const { id } = await customer();
    const thrown = await thrownBy(post("/v1/subscriptions", { customer: id, ...parameters }));
    expect(thrown).toMatchObject({ statusCode: 400, param: expect.stringContaining(param) });
  });

  it("says what the simulator supports, and why it does not support a value", async () => {
    expect((await thrownBy(post("/v1/customers", { tax_exempt: "none" }))).message).toBe(
      "Received unknown parameter: tax_exempt. The simulator supports: name, email, phone, description, balance, metadata.",
    );
    const { id } = await draft();
    expect((await thrownBy(post(`/v1/invoices/${id}/finalize`, { auto_advance: true }))).message).toBe(
      "Invalid auto_advance: the simulator supports only 'false': finalize and pay the invoice by requests",
    );
  });

  it("of an unknown path, a wrong key and an object of another account is the provider's", async () => {
    expect(await thrownBy(post("/v1/coupons"))).toMatchObject({
      statusCode: 404,
      message: expect.stringMatching(/^Unrec/),
    });
    expect(await thrownBy(() => fixture.sdk("sk_test_wrong").customers.create())).toMatchObject({ statusCode: 401 });
    const { id } = await customer();
    const other = fixture.sdk("sk_test_local_kumo_tea");
    expect(await thrownBy(() => other.customers.update(id, {}))).toMatchObject({ statusCode: 404 });
  });

  it("changes nothing and causes no event", async () => {
    const { id } = await draft();
    const types = await eventsOf(() => thrownBy(() => stripe.invoices.voidInvoice(id)));
    expect(types).toEqual([]);
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: "draft" });
  });
});
