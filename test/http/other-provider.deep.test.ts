import { beforeEach, describe, expect, it } from "@jest/globals";
import { eventually, organizationOf, type Run } from "../support/integration.ts";
import { addEvent, failing, now, type OtherAccount, put, type Thing } from "../support/other-provider.ts";
import { useOtherProvider } from "../support/use-service.ts";

const { provider, service } = await useOtherProvider();

let ours: ReturnType<typeof organizationOf>;
let account: OtherAccount;
let organizations = 0;
beforeEach(() => {
  provider.behave();
  ours = organizationOf(service, `other-${++organizations}`);
  account = provider.account();
});

const DAY = 86_400;
const connect = async (): Promise<Run> => {
  expect(await ours.connect(account.apiKey)).toMatchObject({ status: 200, body: { accountId: account.id } });
  return ours.lastRun();
};
const callsOf = () => provider.calls.filter(({ secret }) => secret === account.apiKey);
const during = async (work: () => Promise<unknown>): Promise<string[]> => {
  const before = callsOf().length;
  await work();
  return callsOf()
    .slice(before)
    .map(({ method, path }) => `${method} ${path}`);
};
const stored = async (type: string, id: string) => (await ours.records(type)).find((record) => record.id === id);
const many = (prefix: string, count: number, more: object = {}): Thing[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `${prefix}_${String(i).padStart(4, "0")}`,
    created: now() - DAY - i,
    ...more,
  }));

describe("a first run", () => {
  it("reads objects of both shapes; missing fields are null", async () => {
    const [day, later] = [now() - DAY, now() + DAY];
    put(account, "customers", { id: "cus_bare", created: day });
    put(account, "customers", {
      id: "cus_whole",
      created: day + 1,
      name: "Noa 諾亞",
      email: "noa@example.com",
      currency: "eur",
      delinquent: false,
      default_source: "card_1",
      address: { line1: "secret street" },
    });
    put(account, "subscriptions", {
      id: "sub_old",
      created: day,
      status: "canceled",
      customer: "cus_bare",
      currency: "eur",
      canceled_at: day,
      current_period_start: day,
      current_period_end: later,
      cancel_at_period_end: false,
      items: { data: [{ price: { id: "price_1", unit_amount: 990, recurring: { interval: "month" } }, quantity: 2 }] },
    });
    put(account, "subscriptions", {
      id: "sub_new",
      created: day,
      status: "active",
      customer: { id: "cus_whole" },
      items: { data: [{ current_period_start: day, current_period_end: later }], has_more: false },
    });
    put(account, "invoices", {
      id: "in_old",
      created: day,
      status: "paid",
      customer: "cus_bare",
      subscription: "sub_old",
      currency: "eur",
      number: "A-1",
      amount_due: 1980,
      amount_paid: 1980,
      due_date: later,
      payment_intent: "pi_old",
      status_transitions: { paid_at: day },
    });
    put(account, "invoices", {
      id: "in_new",
      created: day,
      status: "open",
      customer: "cus_whole",
      parent: { subscription_details: { subscription: "sub_new" } },
    });
    put(account, "payment_intents", {
      id: "pi_old",
      created: day,
      status: "succeeded",
      customer: "cus_bare",
      invoice: "in_old",
      currency: "eur",
      amount: 1980,
      amount_received: 1980,
      last_payment_error: null,
    });
    put(account, "payment_intents", {
      id: "pi_new",
      created: day,
      status: "requires_payment_method",
      amount: 9_007_199_254_740_991,
      last_payment_error: { code: "card_declined", payment_method: { card: { last4: "4242" } } },
    });

    const run = await connect();
    expect(run).toMatchObject({ mode: "full", trigger: "connection", status: "succeeded" });
    for (const { read, written } of Object.values(run.progress))
      expect({ read, written }).toEqual({ read: 2, written: 2 });
    const common = (type: string, id: string, createdAt = day * 1_000) => ({
      type,
      id,
      createdAt,
      updatedAt: expect.any(Number),
      deleted: false,
    });
    expect(await ours.records("customers")).toEqual([
      {
        ...common("customers", "cus_whole", (day + 1) * 1_000),
        name: "Noa 諾亞",
        email: "noa@example.com",
        currency: "eur",
        delinquent: false,
      },
      { ...common("customers", "cus_bare"), name: null, email: null, currency: null, delinquent: null },
    ]);
    expect(await stored("subscriptions", "sub_old")).toEqual({
      ...common("subscriptions", "sub_old"),
      status: "canceled",
      customerId: "cus_bare",
      currency: "eur",
      canceledAt: day * 1_000,
      items: [{ priceId: "price_1", quantity: 2, unitAmount: 990, interval: "month" }],
      currentPeriodStart: day * 1_000,
      currentPeriodEnd: later * 1_000,
      cancelAtPeriodEnd: false,
    });
    expect(await stored("subscriptions", "sub_new")).toEqual({
      ...common("subscriptions", "sub_new"),
      status: "active",
      customerId: "cus_whole",
      currency: null,
      canceledAt: null,
      items: [{ priceId: null, quantity: null, unitAmount: null, interval: null }],
      currentPeriodStart: day * 1_000,
      currentPeriodEnd: later * 1_000,
      cancelAtPeriodEnd: null,
    });
    expect(await stored("invoices", "in_old")).toEqual({
      ...common("invoices", "in_old"),
      number: "A-1",
      status: "paid",
      customerId: "cus_bare",
      subscriptionId: "sub_old",
      currency: "eur",
      amountDue: 1980,
      amountPaid: 1980,
      dueAt: later * 1_000,
      paidAt: day * 1_000,
    });
    expect(await stored("invoices", "in_new")).toEqual({
      ...common("invoices", "in_new"),
      number: null,
      status: "open",
      customerId: "cus_whole",
      subscriptionId: "sub_new",
      currency: null,
      amountDue: null,
      amountPaid: null,
      dueAt: null,
      paidAt: null,
    });
    expect(await stored("payments", "pi_old")).toEqual({
      ...common("payments", "pi_old"),
      status: "succeeded",
      customerId: "cus_bare",
      invoiceId: "in_old",
      currency: "eur",
      amount: 1980,
      amountReceived: 1980,
      failureCode: null,
    });
    expect(await stored("payments", "pi_new")).toEqual({
      ...common("payments", "pi_new"),
      status: "requires_payment_method",
      customerId: null,
      invoiceId: null,
      currency: null,
      amount: 9_007_199_254_740_991,
      amountReceived: null,
      failureCode: "card_declined",
    });
  });

  it("reads every page of every type, and compares both sides", async () => {
    Object.assign(account.things, { customers: many("cus", 250), payment_intents: many("pi", 101) });
    const run = await connect();
    expect(run).toMatchObject({ status: "succeeded" });
    expect(run.progress.customers).toEqual({ read: 250, written: 250 });
    expect(run.completeness?.customers).toEqual({ listed: 250, stored: 250, onlyListed: [], onlyStored: [] });
    expect(await ours.records("customers")).toHaveLength(250);
    expect(await ours.records("payments")).toHaveLength(101);
    const lists = callsOf().filter(({ path }) => path === "/v1/customers");
    expect(lists.map(({ query }) => [query.limit, query.starting_after])).toEqual([
      ["100", undefined],
      ["100", "cus_0099"],
      ["100", "cus_0199"],
    ]);
    expect(callsOf().find(({ path }) => path === "/v1/subscriptions")?.query).toMatchObject({ status: "all" });
    expect((await ours.call("GET", "connection")).body).toMatchObject({ lastSyncAt: expect.any(Number) });
    const again = await ours.sync({ mode: "full" });
    for (const { written } of Object.values(again.progress)) expect(written).toBe(0);
  });

  it("reads everything of a provider whose clock is ahead of its answers' dates", async () => {
    const ahead = now() + 10 * DAY;
    account.things.invoices = many("in", 150).map((thing) => ({
      ...thing,
      created: ahead - ((thing.created ?? 0) % 500),
    }));
    expect(await connect()).toMatchObject({ status: "succeeded" });
    expect(await ours.records("invoices")).toHaveLength(150);
  });

  it("continues if the last object of a page was deleted concurrently", async () => {
    account.things.customers = many("cus", 220);
    provider.meddle(({ path, query }) => {
      if (path === "/v1/customers" && query.starting_after === "cus_0099") {
        const { customers = [] } = account.things;
        for (const gone of customers.filter(({ id }) => id === "cus_0099")) addEvent(account, "customer.deleted", gone);
        account.things.customers = customers.filter(({ id }) => id !== "cus_0099");
      }
      return undefined;
    });
    const run = await connect();
    expect(run).toMatchObject({ status: "succeeded" });
    const records = await ours.records("customers");
    expect(new Set(records.filter(({ deleted }) => !deleted).map(({ id }) => id))).toEqual(
      new Set(account.things.customers?.map(({ id }) => id)),
    );
  });

  it("writes nothing after the account is disconnected", async () => {
    account.things.customers = many("cus", 150);
    let answer = () => {};
    const held = new Promise<undefined>((resolve) => {
      answer = () => resolve(undefined);
    });
    provider.meddle(({ query }) => (query.starting_after === undefined ? undefined : held));
    await ours.connect(account.apiKey);
    await eventually("the second page is asked for", async () =>
      callsOf().some(({ query }) => query.starting_after !== undefined),
    );
    expect((await ours.call("DELETE", "connection")).status).toBe(204);
    expect(await ours.runs()).toMatchObject([{ status: "cancelled" }]);
    const calls = callsOf().length;
    answer();
    // Answers when everything in progress has ended.
    await service.advance(1);
    expect(await ours.records("customers")).toHaveLength(100);
    expect(callsOf()).toHaveLength(calls);
    expect(await ours.runs()).toMatchObject([{ status: "cancelled" }]);
  });

  it("reports the type that failed and stores the others", async () => {
    Object.assign(account.things, {
      customers: many("cus", 3),
      invoices: many("in", 3),
      payment_intents: many("pi", 3),
    });
    provider.meddle(({ path }) => (path === "/v1/invoices" ? failing(403, { message: "no" }) : undefined));
    const run = await connect();
    expect(run).toMatchObject({ status: "failed", error: { category: "authorization" } });
    expect([run.progress.customers?.read, run.progress.invoices?.read, run.progress.payments?.read]).toEqual([3, 0, 3]);
    expect(await ours.records("payments")).toHaveLength(3);
    expect((await ours.call("GET", "connection")).body).not.toHaveProperty("lastSyncAt");
    provider.behave();
    expect(await ours.sync()).toMatchObject({ mode: "full", status: "succeeded" });
    expect(await ours.records("invoices")).toHaveLength(3);
  });
});

describe("later runs", () => {
  const customer = (more: object = {}): Thing => ({ id: "cus_1", created: now() - DAY, name: "before", ...more });
  /** A past second, so that later changes fall into a later second. */
  const nextSecond = async () => {
    const started = now();
    await eventually("the next second has begun", async () => now() > started);
  };
  beforeEach(async () => {
    put(account, "customers", customer());
    put(account, "payment_intents", { id: "pi_1", created: now() - DAY, status: "processing", amount: 5 });
    addEvent(account, "customer.created", customer(), now() - DAY);
    expect(await connect()).toMatchObject({ status: "succeeded" });
  });

  it("are one read if nothing happened", async () => {
    expect(
      await during(async () => {
        const { mode, status, progress } = await ours.sync();
        expect({ mode, status }).toEqual({ mode: "incremental", status: "succeeded" });
        for (const { written } of Object.values(progress)) expect(written).toBe(0);
      }),
    ).toEqual(["GET /v1/events"]);
  });

  it("find creations, updates and deletions, and count the changes", async () => {
    await nextSecond();
    addEvent(account, "customer.updated", customer({ name: "after" }));
    addEvent(account, "customer.updated", customer({ name: "after" }));
    addEvent(account, "customer.created", { id: "cus_2", created: now(), name: "new" });
    addEvent(account, "customer.deleted", { id: "cus_3", created: now() - DAY, name: "gone" });
    addEvent(account, "invoice.created", { id: "in_1", created: now(), status: "draft", customer: "cus_1" });
    addEvent(account, "product.updated", { id: "prod_1" });
    addEvent(account, "something.nobody.knows", { id: "x" });
    const run = await ours.sync();
    expect(run).toMatchObject({ status: "succeeded", mode: "incremental" });
    expect([run.progress.customers?.written, run.progress.invoices?.written]).toEqual([3, 1]);
    expect(await stored("customers", "cus_1")).toMatchObject({ name: "after", deleted: false });
    expect(await stored("customers", "cus_2")).toMatchObject({ name: "new" });
    expect(await stored("customers", "cus_3")).toMatchObject({ name: null, deleted: true });

    await nextSecond();
    addEvent(account, "customer.deleted", customer({ name: "after" }));
    expect((await ours.sync()).progress.customers).toMatchObject({ written: 1 });
    expect(await stored("customers", "cus_1")).toMatchObject({ name: null, email: null, deleted: true });
    // A deleted object stays deleted.
    await nextSecond();
    addEvent(account, "customer.updated", customer({ name: "risen" }));
    await ours.sync();
    expect(await stored("customers", "cus_1")).toMatchObject({ name: null, deleted: true });
  });

  it("find changes of a provider that dates its events far behind its answers", async () => {
    let created = now() - 3_600;
    const behind = () => ++created;
    ours = organizationOf(service, `${ours.organizationId}-behind`);
    account = provider.account();
    put(account, "customers", customer());
    addEvent(account, "customer.created", customer(), behind());
    expect(await connect()).toMatchObject({ status: "succeeded" });
    for (const name of ["first", "second"]) {
      put(account, "customers", customer({ name }));
      addEvent(account, "customer.updated", customer({ name: "on the way" }), behind());
      addEvent(account, "customer.updated", customer({ name }), behind());
      expect((await ours.sync()).progress.customers?.written).toBe(1);
      expect(await stored("customers", "cus_1")).toMatchObject({ name });
    }
    expect(await during(() => ours.sync())).toEqual(["GET /v1/events"]);
  });

  it("read the object if two of its states are of one second", async () => {
    await nextSecond();
    const second = now();
    put(account, "customers", customer({ name: "the second" }));
    addEvent(account, "customer.updated", customer({ name: "the second" }), second);
    addEvent(account, "customer.updated", customer({ name: "the first" }), second);
    const calls = await during(() => ours.sync());
    expect(calls).toContain("GET /v1/customers/cus_1");
    expect(await stored("customers", "cus_1")).toMatchObject({ name: "the second" });
  });

  it("never return to an older state", async () => {
    await nextSecond();
    addEvent(account, "customer.updated", customer({ name: "newest" }));
    await ours.sync();
    const before = await stored("customers", "cus_1");
    addEvent(account, "customer.updated", customer({ name: "older" }), now() - 30);
    expect((await ours.sync()).progress.customers?.written).toBe(0);
    expect(await stored("customers", "cus_1")).toEqual(before);
  });

  it("read a payment again after an event that only names it", async () => {
    put(account, "payment_intents", { id: "pi_1", created: now() - DAY, status: "succeeded", amount: 5 });
    await nextSecond();
    addEvent(account, "charge.succeeded", { id: "ch_1", payment_intent: "pi_1" });
    addEvent(account, "charge.succeeded", { id: "ch_2", payment_intent: null });
    addEvent(account, "refund.created", { id: "re_1", payment_intent: "pi_unheard_of" });
    expect(await during(() => ours.sync())).toEqual(
      expect.arrayContaining(["GET /v1/payment_intents/pi_1", "GET /v1/payment_intents/pi_unheard_of"]),
    );
    expect(await stored("payments", "pi_1")).toMatchObject({ status: "succeeded" });
    expect(await stored("payments", "ch_2")).toBeUndefined();
  });

  it("take a payment's invoice from events and keep it", async () => {
    await nextSecond();
    addEvent(account, "invoice_payment.paid", {
      id: "inpay_1",
      invoice: "in_9",
      payment: { type: "payment_intent", payment_intent: "pi_1" },
    });
    await ours.sync();
    expect(await stored("payments", "pi_1")).toMatchObject({ invoiceId: "in_9", status: "processing" });
    await nextSecond();
    addEvent(account, "payment_intent.succeeded", { id: "pi_1", created: now() - DAY, status: "succeeded", amount: 5 });
    await ours.sync();
    expect(await stored("payments", "pi_1")).toMatchObject({ invoiceId: "in_9", status: "succeeded" });
  });

  it("read the whole feed, or everything if the feed does not reach back far enough", async () => {
    await nextSecond();
    for (let i = 0; i < 230; i++)
      addEvent(account, "customer.created", { id: `cus_x${i}`, created: now(), name: `${i}` });
    const run = await ours.sync();
    expect(run).toMatchObject({ mode: "incremental", status: "succeeded" });
    expect(run.progress.customers).toEqual({ read: 230, written: 230 });

    // The feed dropped old events: it begins after the stored cursor.
    account.things.events = [];
    addEvent(account, "customer.updated", customer({ name: "late" }), now() + 29 * DAY + 100);
    put(account, "customers", customer({ name: "late" }));
    expect(await ours.sync()).toMatchObject({ mode: "full", status: "succeeded" });
    expect(await stored("customers", "cus_1")).toMatchObject({ name: "late" });
  });

  it("find changes made before the answer to POST, and are listed at once", async () => {
    let answer = () => {};
    const held = new Promise<undefined>((resolve) => {
      answer = () => resolve(undefined);
    });
    provider.meddle(() => held);
    await nextSecond();
    addEvent(account, "customer.updated", customer({ name: "just now" }));
    const started = await ours.call("POST", "sync");
    expect(started).toMatchObject({ status: 202, body: { status: "running", trigger: "manual", mode: "incremental" } });
    const { id } = started.body as Run;
    expect((await ours.runs())[0]).toMatchObject({ id, status: "running" });
    const another = await ours.call("POST", "sync", {}, { userId: "bob" });
    expect(another).toMatchObject({ status: 409, body: { error: 40904 } });
    answer();
    expect(await ours.lastRun()).toMatchObject({ id, status: "succeeded", finishedAt: expect.any(Number) });
    expect(await stored("customers", "cus_1")).toMatchObject({ name: "just now" });
  });

  it("list runs newest first, page by page", async () => {
    for (let i = 0; i < 3; i++) await ours.sync();
    const all = await ours.runs();
    expect(all).toHaveLength(4);
    expect(await ours.everyPage("sync?limit=1")).toEqual(all);
  });
});
