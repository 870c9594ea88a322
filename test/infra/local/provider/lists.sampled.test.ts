import { describe, expect, it } from "@jest/globals";
import type Stripe from "stripe";
import { sampleOf } from "../../../support/depth.ts";
import { usePerFile } from "../../../support/use-started.ts";
import { createFixture, thrownBy } from "./simulator-fixture.ts";

const fixture = usePerFile(createFixture);
const stripe = usePerFile(() => fixture.sdk());

const all = async <T>(pages: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of pages) found.push(one);
  return found;
};
const ids = (objects: readonly { id: string }[]) => objects.map(({ id }) => id);
/** Newest first. */
const inOrder = (objects: readonly { created: number }[]) =>
  objects.every(({ created }, index) => created <= (objects[index - 1]?.created ?? Number.POSITIVE_INFINITY));

type Listable =
  | "customers"
  | "subscriptions"
  | "invoices"
  | "paymentIntents"
  | "charges"
  | "invoicePayments"
  | "events";
const kinds: [Listable, string][] = [
  ["customers", "customer"],
  ["subscriptions", "subscription"],
  ["invoices", "invoice"],
  ["paymentIntents", "payment_intent"],
  ["charges", "charge"],
  ["invoicePayments", "invoice_payment"],
  ["events", "event"],
];
const list = (kind: Listable, parameters: Stripe.PaginationParams & { created?: Stripe.RangeQueryParam | number }) =>
  stripe[kind].list(parameters) as Stripe.ApiListPromise<{ id: string; object: string; created: number }>;

describe("an account", () => {
  it("belongs to the API key", async () => {
    const account = await stripe.accounts.retrieve(null);
    expect(account).toMatchObject({ id: fixture.simulator.demo.accountId, object: "account", type: "standard" });
    expect((await stripe.accounts.retrieveCurrent()).id).toBe(account.id);
    expect((await fixture.sdk("sk_test_local_kumo_tea").accounts.retrieveCurrent()).id).toBe("acct_1LocalKumoTea");
  });

  it("answers with the provider's headers", async () => {
    const { lastResponse } = await stripe.accounts.retrieveCurrent();
    expect(lastResponse.requestId).toMatch(/^req_/);
    expect(lastResponse.apiVersion).toBe("2026-10-28.endive");
    expect(lastResponse.headers.date).toBe(new Date(fixture.now()).toUTCString());
  });

  it("sees no objects of another account", async () => {
    const [customer] = (await stripe.customers.list({ limit: 1 })).data;
    const other = fixture.sdk("sk_test_local_kumo_tea");
    expect(await thrownBy(() => other.customers.retrieve(customer?.id ?? ""))).toMatchObject({ statusCode: 404 });
    const cursor = () => other.customers.list({ starting_after: customer?.id ?? "" });
    expect(await thrownBy(cursor)).toMatchObject({ statusCode: 400, code: "resource_missing" });
  });
});

describe.each(sampleOf(kinds, 2))("the list of %s", (kind, object) => {
  it("returns each object once over all pages, newest first, in both directions", async () => {
    const found = await all(list(kind, { limit: 100 }));
    expect(found.length).toBeGreaterThan(kind === "subscriptions" || kind === "customers" ? 50 : 300);
    expect(new Set(ids(found)).size).toBe(found.length);
    expect(new Set(found.map((one) => one.object))).toEqual(new Set([object]));
    expect(inOrder(found)).toBe(true);

    const oldest = found.at(-1)?.id ?? "";
    const backward = await all(list(kind, { limit: 37, ending_before: oldest }));
    expect(ids(backward).reverse()).toEqual(ids(found).slice(0, -1));
    expect(ids(await all(list(kind, { limit: 61 })))).toEqual(ids(found));
  });

  it("has 10 objects per page by default, an envelope, and a last page", async () => {
    const page = await list(kind, {});
    expect(page).toMatchObject({ object: "list", has_more: true });
    expect(page.url).toMatch(/^\/v1\/[a-z_]+$/);
    expect(page.data).toHaveLength(10);
    const oldest = (await all(list(kind, { limit: 100 }))).at(-1)?.id ?? "";
    expect(await list(kind, { starting_after: oldest })).toMatchObject({ data: [], has_more: false });
  });

  it("filters by creation time, with inclusive or exclusive bounds", async () => {
    const found = await all(list(kind, { limit: 100 }));
    const middle = found[Math.floor(found.length / 2)]?.created ?? 0;
    const bounds = { gt: middle - 86_400, lte: middle };
    const wanted = found.filter(({ created }) => created > bounds.gt && created <= bounds.lte);
    expect(ids(await all(list(kind, { limit: 100, created: bounds })))).toEqual(ids(wanted));
    const outside = { gte: middle, lt: middle + 86_400 };
    const others = found.filter(({ created }) => created >= outside.gte && created < outside.lt);
    expect(ids(await all(list(kind, { limit: 100, created: outside })))).toEqual(ids(others));
    const same = found.filter(({ created }) => created === middle);
    expect(ids(await all(list(kind, { limit: 100, created: middle })))).toEqual(ids(same));
  });

  it("refuses to start from an object that does not exist", async () => {
    for (const parameter of ["starting_after", "ending_before"] as const)
      expect(await thrownBy(() => list(kind, { [parameter]: "xx_none" }))).toMatchObject({
        type: "StripeInvalidRequestError",
        statusCode: 400,
        code: "resource_missing",
        param: parameter,
        message: `No such ${object}: 'xx_none'`,
      });
  });

  it("refuses limits out of range, both directions at once, and unknown parameters", async () => {
    for (const limit of [0, 101, -1])
      expect(await thrownBy(() => list(kind, { limit }))).toMatchObject({ statusCode: 400, param: "limit" });
    expect(await thrownBy(() => list(kind, { starting_after: "a", ending_before: "b" }))).toMatchObject({
      statusCode: 400,
    });
    const unknown = { updated: 5 } as Stripe.PaginationParams;
    expect(await thrownBy(() => list(kind, unknown))).toMatchObject({ code: "parameter_unknown", param: "updated" });
    const odd = { created: { gte: "soon" } } as unknown;
    expect(await thrownBy(() => list(kind, odd as object))).toMatchObject({ code: "parameter_invalid_integer" });
  });

  it("lists each object as a request by its id returns it", async () => {
    const { data } = await list(kind, { limit: 3 });
    for (const one of data) {
      const read = await (stripe[kind].retrieve as (id: string) => Promise<unknown>).call(stripe[kind], one.id);
      expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(one)));
    }
    const missing = () => (stripe[kind].retrieve as (id: string) => Promise<unknown>).call(stripe[kind], "xx_none");
    expect(await thrownBy(missing)).toMatchObject({ statusCode: 404, code: "resource_missing" });
  });
});

describe("subscriptions", () => {
  it("are listed without cancelled ones unless all are requested", async () => {
    const usual = await all(stripe.subscriptions.list({ limit: 100 }));
    const every = await all(stripe.subscriptions.list({ limit: 100, status: "all" }));
    const canceled = await all(stripe.subscriptions.list({ limit: 100, status: "canceled" }));
    expect(canceled.length).toBeGreaterThan(3);
    expect(ids(usual)).toEqual(ids(every.filter(({ status }) => status !== "canceled")));
    expect(ids(canceled)).toEqual(ids(every.filter(({ status }) => status === "canceled")));
    expect(new Set(every.map(({ status }) => status))).toEqual(new Set(["trialing", "active", "past_due", "canceled"]));
  });

  it("show ten items and has_more", async () => {
    const every = await all(stripe.subscriptions.list({ limit: 100, status: "all" }));
    const large = every.find(({ items }) => items.has_more);
    expect(large?.items.data).toHaveLength(10);
  });
});

describe("filters", () => {
  it("select invoices, payments and subscriptions of a customer", async () => {
    const invoices = await all(stripe.invoices.list({ limit: 100 }));
    const customer = String(invoices[0]?.customer);
    const own = invoices.filter((invoice) => invoice.customer === customer);
    expect(ids(await all(stripe.invoices.list({ customer })))).toEqual(ids(own));
    const payments = await all(stripe.paymentIntents.list({ limit: 100 }));
    expect(ids(await all(stripe.paymentIntents.list({ customer })))).toEqual(
      ids(payments.filter((payment) => payment.customer === customer)),
    );
    expect((await stripe.subscriptions.list({ customer, status: "all" })).data.length).toBeGreaterThan(0);
    const nobody = () => stripe.invoices.list({ customer: "cus_none" });
    expect(await thrownBy(nobody)).toMatchObject({ code: "resource_missing", param: "customer" });
  });

  it("select invoices by status, and events by type", async () => {
    for (const status of ["draft", "open", "paid", "void", "uncollectible"] as const) {
      const { data } = await stripe.invoices.list({ status });
      expect(data.length).toBeGreaterThan(0);
      expect(new Set(data.map((invoice) => invoice.status))).toEqual(new Set([status]));
    }
    const { data } = await stripe.events.list({ types: ["invoice.paid", "charge.failed"], limit: 100 });
    expect(new Set(data.map(({ type }) => type))).toEqual(new Set(["invoice.paid", "charge.failed"]));
    expect((await stripe.events.list({ type: "invoice.paid" })).data[0]?.type).toBe("invoice.paid");
    const types = Array.from({ length: 21 }, () => "invoice.paid");
    expect(await thrownBy(() => stripe.events.list({ types }))).toMatchObject({ statusCode: 400, param: "types" });
  });

  it("find the link between an invoice and its payment", async () => {
    const [invoice] = (await stripe.invoices.list({ status: "paid", limit: 1 })).data;
    const { data } = await stripe.invoicePayments.list({ invoice: invoice?.id ?? "" });
    expect(data).toHaveLength(1);
    const intent = await stripe.paymentIntents.retrieve(String(data[0]?.payment.payment_intent));
    expect(intent).toMatchObject({ status: "succeeded", amount: invoice?.total, customer: invoice?.customer });
    const charge = await stripe.charges.retrieve(String(intent.latest_charge));
    expect(charge).toMatchObject({ object: "charge", payment_intent: intent.id });
  });
});

describe("the history", () => {
  it("has payments in every status, with failure codes and without card numbers", async () => {
    const payments = await all(stripe.paymentIntents.list({ limit: 100 }));
    const states = new Set(payments.map(({ status }) => status));
    for (const status of ["succeeded", "requires_payment_method", "processing", "canceled"] as const)
      expect(states).toContain(status);
    const failed = payments.flatMap(({ last_payment_error: error }) => error?.code ?? []);
    expect(new Set(failed).size).toBeGreaterThan(2);
    const charges = await all(stripe.charges.list({ limit: 100 }));
    expect(charges.some(({ refunded }) => refunded)).toBe(true);
    expect((await stripe.disputes.list()).data.length).toBeGreaterThan(0);
    expect((await stripe.refunds.list()).data.length).toBeGreaterThan(0);
    expect(JSON.stringify([payments, charges])).not.toMatch(/(?<!\d)\d{12,19}(?!\d)/);
  });

  it("lies in the past, with events of the last 30 days", async () => {
    for (const [kind] of kinds) {
      const found = await all(list(kind, { limit: 100 }));
      expect(found[0]?.created).toBeLessThanOrEqual(fixture.nowSeconds());
      const age = fixture.nowSeconds() - (found.at(-1)?.created ?? 0);
      const days = age / 86_400;
      if (kind === "events") expect(days).toBeLessThanOrEqual(30);
      else if (kind !== "subscriptions") expect(days).toBeGreaterThan(365);
    }
  });
});
