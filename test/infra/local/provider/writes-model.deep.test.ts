/** Random sequences of operations by the SDK, against a model of what an account must contain. */
import { afterAll, describe, expect, it } from "@jest/globals";
import Stripe from "stripe";
import { createRandom, type Random } from "../../../../infra/local/core/random.ts";
import { writes } from "../../../../infra/local/provider/wire/writes/writes.ts";
import { rangeOf } from "../../../support/depth.ts";
import { fixedSeed } from "../../../support/fixed-seed.ts";
import { usePerFile } from "../../../support/use-started.ts";
import { createFixture } from "./simulator-fixture.ts";

const OPERATIONS = 300;
const SEQUENCES = 10;
const REQUESTS = 2_000;
const PRICES = ["price_1BrightBikes0month", "price_1BrightBikes1month"];

const fixture = usePerFile(createFixture);
afterAll(() => {
  expect(fixture.errors).toEqual([]);
});

type Customer = { name: string | null; metadata: Record<string, string> };
type Subscription = { customer: string; status: string; quantity: number; endsWithPeriod: boolean };
type Invoice = { customer: string; status: string; amount: number };
/** The state of an account after a sequence; a deleted object is absent. */
type Model = {
  customers: Map<string, Customer>;
  subscriptions: Map<string, Subscription>;
  invoices: Map<string, Invoice>;
  deleted: Set<string>;
};

const pick = <T>(random: Random, all: Map<string, T>, wanted: (one: T) => boolean = () => true) => {
  const found = [...all].filter(([, one]) => wanted(one));
  return found.length === 0 ? undefined : random.pick(found);
};

/** Does the request and changes the model, or expects a refusal if the state of the object forbids the change. */
const orRefused = async (isAllowed: boolean, request: () => Promise<unknown>, change: () => void): Promise<void> => {
  if (isAllowed) {
    await request();
    change();
    return;
  }
  await expect(request()).rejects.toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
};

type Step = (stripe: Stripe, model: Model, random: Random) => Promise<void>;

const createCustomer: Step = async (stripe, { customers }, random) => {
  const [name, order] = [`Name ${random.int(100)}`, String(random.int(9))];
  const { id } = await stripe.customers.create({ name, metadata: { order } });
  customers.set(id, { name, metadata: { order } });
};

const invoiceStep =
  (states: readonly string[], after: string, request: (stripe: Stripe, id: string) => Promise<unknown>): Step =>
  async (stripe, { invoices }, random) => {
    const [id, invoice] = pick(random, invoices) ?? [];
    if (id === undefined || invoice === undefined) return;
    await orRefused(
      states.includes(invoice.status),
      () => request(stripe, id),
      () => {
        invoice.status = after === "open" && invoice.amount === 0 ? "paid" : after;
      },
    );
  };

const STEPS: Record<string, Step> = {
  createCustomer,
  async updateCustomer(stripe, { customers }, random) {
    const [id, customer] = pick(random, customers) ?? [];
    if (id === undefined || customer === undefined) return;
    const [name, size] = [random.chance(0.3) ? null : `Name ${random.int(100)}`, random.pick(["", "S", "L"])];
    await stripe.customers.update(id, { name: name ?? "", metadata: { size } });
    const { size: _, ...others } = customer.metadata;
    customers.set(id, { name, metadata: { ...others, ...(size !== "" && { size }) } });
  },
  async deleteCustomer(stripe, { customers, subscriptions, deleted }, random) {
    const [id] = random.chance(0.3) ? (pick(random, customers) ?? []) : [];
    if (id === undefined) return;
    await stripe.customers.del(id);
    customers.delete(id);
    deleted.add(id);
    for (const one of subscriptions.values()) if (one.customer === id) one.status = "canceled";
  },
  async createSubscription(stripe, { customers, subscriptions, invoices }, random) {
    const [customer] = pick(random, customers) ?? [];
    if (customer === undefined) return;
    const [quantity, price] = [1 + random.int(4), random.pick(PRICES)];
    const made = await stripe.subscriptions.create({ customer, items: [{ price, quantity }] });
    subscriptions.set(made.id, { customer, status: "active", quantity, endsWithPeriod: false });
    const amount = quantity * (made.items.data[0]?.price.unit_amount ?? 0);
    invoices.set(String(made.latest_invoice), { customer, status: "paid", amount });
  },
  async updateSubscription(stripe, { subscriptions }, random) {
    const [id, subscription] = pick(random, subscriptions) ?? [];
    if (id === undefined || subscription === undefined) return;
    const [quantity, endsWithPeriod] = [1 + random.int(4), random.chance(0.5)];
    const item = (await stripe.subscriptions.retrieve(id)).items.data[0]?.id ?? "";
    const update = { items: [{ id: item, quantity }], cancel_at_period_end: endsWithPeriod };
    await orRefused(
      subscription.status === "active",
      () => stripe.subscriptions.update(id, update),
      () => Object.assign(subscription, { quantity, endsWithPeriod }),
    );
  },
  async cancelSubscription(stripe, { subscriptions }, random) {
    const [id, subscription] = pick(random, subscriptions) ?? [];
    if (id === undefined || subscription === undefined) return;
    const end = () => {
      subscription.status = "canceled";
    };
    await orRefused(subscription.status === "active", () => stripe.subscriptions.cancel(id), end);
  },
  async createInvoice(stripe, { customers, invoices }, random) {
    const [customer] = pick(random, customers) ?? [];
    if (customer === undefined) return;
    const { id } = await stripe.invoices.create({ customer });
    invoices.set(id, { customer, status: "draft", amount: 0 });
  },
  async addItem(stripe, { invoices, customers }, random) {
    const [id, invoice] = pick(random, invoices, ({ customer }) => customers.has(customer)) ?? [];
    if (id === undefined || invoice === undefined) return;
    const amount = random.int(10_000);
    const request = () => stripe.invoiceItems.create({ customer: invoice.customer, invoice: id, amount });
    const add = () => {
      invoice.amount += amount;
    };
    await orRefused(invoice.status === "draft", request, add);
  },
  async deleteInvoice(stripe, { invoices, deleted }, random) {
    const [id, invoice] = pick(random, invoices) ?? [];
    if (id === undefined || invoice === undefined) return;
    const remove = () => {
      invoices.delete(id);
      deleted.add(id);
    };
    await orRefused(invoice.status === "draft", () => stripe.invoices.del(id), remove);
  },
  finalize: invoiceStep(["draft"], "open", (stripe, id) => stripe.invoices.finalizeInvoice(id)),
  pay: invoiceStep(["draft", "open", "uncollectible"], "paid", (stripe, id) => stripe.invoices.pay(id)),
  void: invoiceStep(["open", "uncollectible"], "void", (stripe, id) => stripe.invoices.voidInvoice(id)),
  giveUp: invoiceStep(["open"], "uncollectible", (stripe, id) => stripe.invoices.markUncollectible(id)),
};

/** What a list returns over all of its pages. */
const all = async <T extends { id: string }>(pages: AsyncIterable<T>): Promise<Map<string, T>> => {
  const found = new Map<string, T>();
  for await (const one of pages) {
    expect(found.has(one.id)).toBe(false);
    found.set(one.id, one);
  }
  return found;
};

const stateOf = async (stripe: Stripe): Promise<Omit<Model, "deleted">> => {
  const [customers, subscriptions, invoices] = await Promise.all([
    all(stripe.customers.list({ limit: 7 })),
    all(stripe.subscriptions.list({ limit: 7, status: "all" })),
    all(stripe.invoices.list({ limit: 7 })),
  ]);
  return {
    customers: new Map([...customers].map(([id, { name = null, metadata }]) => [id, { name, metadata }])),
    subscriptions: new Map(
      [...subscriptions].map(([id, { customer, status, items, cancel_at_period_end: endsWithPeriod }]) => {
        return [id, { customer: String(customer), status, quantity: items.data[0]?.quantity ?? 0, endsWithPeriod }];
      }),
    ),
    invoices: new Map(
      [...invoices].map(([id, { customer, status, amount_due: amount }]) => {
        return [id, { customer: String(customer), status: String(status), amount }];
      }),
    ),
  };
};

/** The objects as the feed's events have them last; a deleted object is absent. */
const replay = async (stripe: Stripe, types: RegExp) => {
  const last = new Map<string, object>();
  const events = [...(await all(stripe.events.list({ limit: 100 }))).values()].reverse();
  for (const { type, data } of events) {
    const object = data.object as { id: string };
    if (!types.test(type)) continue;
    if (/^(customer|invoice)\.deleted$/.test(type)) last.delete(object.id);
    else last.set(object.id, object);
  }
  return last;
};
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe("random parameters", () => {
  const names = [...new Set(writes.flatMap(({ parameters }) => parameters)), "expand", "[", "]", "__proto__", "a[b"];
  const keys = [
    "",
    "[]",
    "[0]",
    "[7][price]",
    "[][quantity]",
    "[0][price_data][recurring][interval]",
    "[__proto__]",
    "[a][b]",
  ];
  const values = ["", "0", "-1", "7", "1e3", "true", "eur", "\ud800", "\0", "x".repeat(6_000), ...PRICES, "none"];

  it("are accepted or refused in the provider's words, and never an internal error", async () => {
    const random = createRandom(`parameters ${fixedSeed}`);
    const { url, demo } = fixture.simulator;
    const stripe = fixture.sdk();
    const lists = [stripe.customers, stripe.subscriptions, stripe.invoices, stripe.paymentIntents, stripe.charges];
    const ids = (await Promise.all(lists.map((one) => one.list({ limit: 20 })))).flatMap(({ data }) =>
      data.map(({ id }) => id),
    );
    for (let request = 0; request < REQUESTS; request++) {
      const [method = "", path = ""] = random.pick(writes).route.replace("{id}", random.pick(ids)).split(" ");
      const body = new URLSearchParams();
      for (let count = random.int(6); count > 0; count--)
        body.append(
          random.pick(names) + random.pick(keys),
          random.chance(0.3) ? random.pick(ids) : random.pick(values),
        );
      // A longer address is refused by Node itself.
      const query = method === "DELETE" ? `?${body}`.slice(0, 8_000) : "";
      const response = await fetch(`${url}${path}${query}`, {
        method,
        headers: { authorization: `Bearer ${demo.apiKey}` },
        ...(method === "POST" && { body }),
      });
      const answer = (await response.json()) as { error?: { message: string; type: string }; id?: string };
      expect([200, 400, 402, 404]).toContain(response.status);
      expect(response.status === 200 ? answer.id : answer.error?.message).toEqual(expect.stringMatching(/./));
    }
    await stripe.events.list({ limit: 100 });
  });
});

describe("a random sequence of operations", () => {
  it.each(rangeOf(SEQUENCES))("%d leaves what a model says, and events that tell the same", async (sequence) => {
    const random = createRandom(`writes ${fixedSeed} ${sequence}`);
    const account = await fixture.request<{ accountId: string; apiKey: string }>("POST /provider/accounts", {
      objects: 1,
      eventDays: 0,
      seed: sequence,
    });
    const stripe = fixture.sdk(account.apiKey);
    for (const { id } of (await stripe.customers.list()).data) await stripe.customers.del(id);
    const model: Model = { customers: new Map(), subscriptions: new Map(), invoices: new Map(), deleted: new Set() };
    const names = Object.keys(STEPS);
    await createCustomer(stripe, model, random);
    for (let step = 0; step < OPERATIONS; step++) {
      fixture.pass(random.int(3) * 500);
      await STEPS[random.pick(names)]?.(stripe, model, random);
    }

    const { deleted, ...wanted } = model;
    expect(await stateOf(stripe)).toEqual(wanted);
    for (const id of deleted)
      if (id.startsWith("in_")) await expect(stripe.invoices.retrieve(id)).rejects.toMatchObject({ statusCode: 404 });
      else await expect(stripe.customers.retrieve(id)).resolves.toMatchObject({ deleted: true });

    const told = await replay(stripe, /^(customer|invoice)\.(?!subscription)/);
    expect(new Set(told.keys())).toEqual(new Set([...model.customers.keys(), ...model.invoices.keys()]));
    for (const id of model.invoices.keys()) expect(plain(await stripe.invoices.retrieve(id))).toEqual(told.get(id));
    for (const id of model.customers.keys()) expect(plain(await stripe.customers.retrieve(id))).toEqual(told.get(id));
  });
});
