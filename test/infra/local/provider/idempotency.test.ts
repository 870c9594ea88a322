import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type Stripe from "stripe";
import { usePerFile } from "../../../support/use-started.ts";
import { createFixture, thrownBy } from "./simulator-fixture.ts";

const DAY = 86_400_000;

const fixture = usePerFile(createFixture);
let stripe: Stripe;
beforeAll(() => {
  stripe = fixture.sdk();
});
beforeEach(async () => {
  await fixture.control("DELETE /provider/faults");
});
afterAll(() => {
  expect(fixture.errors).toEqual([]);
});

const fail = (fault: object) => fixture.request("POST /provider/faults", fault);
const create = (idempotencyKey: string, name = "Ada") => stripe.customers.create({ name }, { idempotencyKey });
const customersNamed = async (name: string) => {
  const { data } = await stripe.customers.list({ limit: 100 });
  return data.filter((one) => one.name === name);
};

describe("an Idempotency-Key", () => {
  it("repeats the first answer for a day, also after a restart, and then makes a new request", async () => {
    const first = await create("a day");
    const [event] = (await stripe.events.list({ limit: 1 })).data;
    expect(event?.request).toEqual({ id: first.lastResponse.requestId, idempotency_key: "a day" });
    expect(first.lastResponse.headers).not.toHaveProperty("idempotent-replayed");
    expect(first.lastResponse.headers["idempotency-key"]).toBe("a day");
    fixture.pass(DAY - 1);
    await fixture.restart();
    stripe = fixture.sdk();
    const second = await create("a day");
    expect(second).toEqual(first);
    expect(second.lastResponse.headers).toMatchObject({
      "idempotent-replayed": "true",
      "original-request": first.lastResponse.requestId,
    });
    expect(second.lastResponse.requestId).not.toBe(first.lastResponse.requestId);
    fixture.pass(1);
    expect((await create("a day")).id).not.toBe(first.id);
  });

  it("is refused for other parameters and for another endpoint", async () => {
    const { id } = await create("once");
    expect(await thrownBy(() => create("once", "Eve"))).toMatchObject({
      type: "StripeIdempotencyError",
      statusCode: 400,
      message: expect.stringMatching(/^Keys for idempotent requests can only be used with the same parameters/),
    });
    const update = () => stripe.customers.update(id, { name: "Ada" }, { idempotencyKey: "once" });
    expect(await thrownBy(update)).toMatchObject({
      type: "StripeIdempotencyError",
      statusCode: 400,
      message: expect.stringContaining(`('/v1/customers' vs '/v1/customers/${id}')`),
    });
    expect(await thrownBy(() => create("k".repeat(256)))).toMatchObject({ statusCode: 400 });
  });

  it("belongs to one account, and has no effect on reads and deletions", async () => {
    const { id } = await create("shared");
    const other = fixture.sdk("sk_test_local_kumo_tea");
    const theirs = await other.customers.create({ name: "Ada" }, { idempotencyKey: "shared" });
    expect(theirs.id).not.toBe(id);
    const reading = () => stripe.customers.retrieve(id, {}, { idempotencyKey: "shared" });
    expect(await reading()).toMatchObject({ name: "Ada" });
    await stripe.customers.update(id, { name: "Eve" });
    expect(await reading()).toMatchObject({ name: "Eve" });
    expect(await stripe.customers.del(id, {}, { idempotencyKey: "shared" })).toMatchObject({ deleted: true });
  });

  it("is in use while the first request with it is under way", async () => {
    await fail({ kind: "slow", ms: 100, times: 1 });
    const first = create("parallel");
    const isUnderWay = async () => (await fixture.request<{ faults: unknown[] }>("GET /provider")).faults.length === 0;
    while (!(await isUnderWay())) await setImmediate();
    expect(await thrownBy(() => create("parallel"))).toMatchObject({
      rawType: "idempotency_error",
      statusCode: 409,
      code: "idempotency_key_in_use",
    });
    const { id } = await first;
    expect((await create("parallel")).id).toBe(id);
  });

  it("repeats a refusal by the state and a failure of the provider, but no refused parameter", async () => {
    const { id: customer } = await create("owner");
    const { id } = await stripe.invoices.create({ customer });
    const voiding = () => stripe.invoices.voidInvoice(id, {}, { idempotencyKey: "early" });
    const refused = await thrownBy(voiding);
    await stripe.invoiceItems.create({ customer, invoice: id, amount: 5 });
    await stripe.invoices.finalizeInvoice(id);
    expect(await thrownBy(voiding)).toMatchObject({
      message: refused.message,
      headers: { "idempotent-replayed": "true" },
    });
    expect(await stripe.invoices.voidInvoice(id)).toMatchObject({ status: "void" });

    const misspelt = { nam: "Ada" } as Stripe.CustomerCreateParams;
    const wrong = () => stripe.customers.create(misspelt, { idempotencyKey: "misspelt" });
    expect(await thrownBy(wrong)).toMatchObject({ code: "parameter_unknown" });
    expect(await create("misspelt")).toMatchObject({ name: "Ada" });

    await fail({ kind: "error", status: 500, times: 1 });
    expect(await thrownBy(() => create("failed"))).toMatchObject({ statusCode: 500 });
    expect(await thrownBy(() => create("failed"))).toMatchObject({
      statusCode: 500,
      headers: { "idempotent-replayed": "true" },
    });
    await fail({ kind: "error", status: 503, times: 1 });
    expect(await thrownBy(() => create("unavailable"))).toMatchObject({ statusCode: 503 });
    expect(await create("unavailable")).toMatchObject({ name: "Ada" });
  });
});

describe("data of an earlier version", () => {
  it("are readable, and can be written to", async () => {
    await fixture.restart((dataDirectory) => {
      const database = new DatabaseSync(join(dataDirectory, "provider.sqlite"));
      database.exec(`
        DROP TABLE idempotency;
        ALTER TABLE events DROP COLUMN request;
        ALTER TABLE events DROP COLUMN idempotency_key;
        UPDATE objects SET state = json_remove(state, '$.metadata', '$.daysUntilDue', '$.lines[0].invoiceItem')
          WHERE account = 1;
        UPDATE objects SET state = json_remove(state, '$.description')
          WHERE account = 1 AND type IN ('customer', 'invoice', 'subscription');
      `);
      database.close();
    });
    stripe = fixture.sdk();
    for (const list of ["customers", "subscriptions", "invoices", "paymentIntents", "events"] as const)
      expect((await stripe[list].list({ limit: 100 })).data.length).toBeGreaterThan(10);
    const [owner] = (await stripe.customers.list({ limit: 1 })).data;
    expect(await stripe.customers.update(owner?.id ?? "", { metadata: { since: "1" } })).toMatchObject({
      description: null,
      metadata: { since: "1" },
    });
  });
});

describe("a lost answer", () => {
  /** A draft with an amount, and the customer who has to pay it. */
  const draft = async () => {
    const { id: customer } = await stripe.customers.create();
    const { id } = await stripe.invoices.create({ customer });
    await stripe.invoiceItems.create({ customer, invoice: id, amount: 700 });
    return { id, customer };
  };

  it("is repeated by the SDK with the key that it invents, and nothing is doubled", async () => {
    const { id, customer } = await draft();
    await fail({ kind: "reset", when: "after", times: 1, pathPrefix: `/v1/invoices/${id}/pay` });
    expect(await stripe.invoices.pay(id)).toMatchObject({ status: "paid" });
    expect((await stripe.charges.list({ customer })).data).toHaveLength(1);
  });

  it("that broke off is repeated by the client with its own key, and nothing is doubled", async () => {
    const { id, customer } = await draft();
    await fail({ kind: "reset", when: "middle", times: 1, pathPrefix: `/v1/invoices/${id}/pay` });
    const pay = () => stripe.invoices.pay(id, {}, { idempotencyKey: "pay once" });
    expect(await thrownBy(pay)).toMatchObject({ type: "StripeConnectionError" });
    expect(await pay()).toMatchObject({ status: "paid" });
    expect((await stripe.charges.list({ customer })).data).toHaveLength(1);
  });
});

describe("rate limits", () => {
  const limit = (limits: object) => fixture.request("POST /provider/rate-limits", limits);
  const outcomes = async (count: number, request: () => Promise<unknown>) =>
    (await Promise.allSettled(Array.from({ length: count }, request))).map((one) =>
      one.status === "fulfilled"
        ? 200
        : (one.reason as Stripe.errors.StripeError).headers?.["stripe-rate-limited-reason"],
    );
  const read = () => stripe.customers.list({ limit: 1 });

  it("are off until they are switched on, and refuse what exceeds them within any second", async () => {
    expect(await fixture.request("GET /provider")).toMatchObject({
      rateLimits: { perSecond: null, perEndpoint: null },
    });
    expect(new Set(await outcomes(40, read))).toEqual(new Set([200]));
    await limit({ perSecond: 5 });
    expect((await outcomes(8, read)).sort()).toEqual([200, 200, 200, 200, 200, ...Array(3).fill("global-rate")]);
    expect(await thrownBy(read)).toMatchObject({ type: "StripeRateLimitError", statusCode: 429, code: "rate_limit" });
    expect(await fixture.sdk("sk_test_local_kumo_tea").customers.list({ limit: 1 })).toMatchObject({ object: "list" });
    fixture.pass(999);
    expect(await outcomes(1, read)).toEqual(["global-rate"]);
    fixture.pass(1);
    expect(await outcomes(2, read)).toEqual([200, 200]);
    await limit({});
    expect(new Set(await outcomes(40, read))).toEqual(new Set([200]));
  });

  it("of one endpoint leave the others alone", async () => {
    await limit({ perSecond: 100, perEndpoint: 2 });
    expect((await outcomes(3, read)).sort()).toEqual([200, 200, "endpoint-rate"]);
    expect(await outcomes(1, () => stripe.invoices.list({ limit: 1 }))).toEqual([200]);
    await limit({});
    expect((await fixture.control("POST /provider/rate-limits", { perSecond: 0 })).status).toBe(400);
  });

  it("refuse a request before it is carried out, and keep nothing for its key", async () => {
    await limit({ perSecond: 1 });
    fixture.pass(1_000);
    await read();
    expect(await thrownBy(() => create("limited", "Limited"))).toMatchObject({ statusCode: 429 });
    fixture.pass(1_000);
    expect(await create("limited", "Limited")).toMatchObject({ name: "Limited" });
    await limit({});
    expect(await customersNamed("Limited")).toHaveLength(1);
  });

  it("can be given at the start", async () => {
    const limited = await createFixture({ rateLimit: 25 });
    try {
      expect(await limited.request("GET /provider")).toMatchObject({ rateLimits: { perSecond: 25 } });
    } finally {
      await limited.stop();
    }
  });
});
