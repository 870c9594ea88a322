/**
 * An account with twenty kinds of poisoned objects among good ones, through the whole service: full runs, incremental
 * runs, webhooks, and twelve hours of schedules. docs/sync.md, "Objects that are set aside".
 */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { eventually, organizationOf, type Run } from "../support/integration.ts";
import { addEvent, now, type OtherAccount, put, type Thing } from "../support/other-provider.ts";
import { useOtherProvider } from "../support/use-service.ts";
import { webhookSender } from "../support/webhook-sender.ts";

const SECRET = "whsec_0123456789abcdef0123456789abcdef";
const LONE = "\ud800";
const DEPTH = 10_000;
const START = now() - 100_000;

const { provider, service } = await useOtherProvider();
provider.spell((json) =>
  json.replaceAll('"@infinite@"', "1e400").replaceAll('"@deep@"', "[".repeat(DEPTH) + "]".repeat(DEPTH)),
);

const customer = (id: string, more: object = {}): Thing => ({
  id,
  object: "customer",
  created: START,
  name: id,
  email: `${id}@example.com`,
  currency: "eur",
  delinquent: false,
  ...more,
});
const payment = (id: string, more: object = {}): Thing => ({
  id,
  object: "payment_intent",
  created: START,
  customer: "cus_1",
  currency: "eur",
  status: "processing",
  amount: 500,
  amount_received: 0,
  last_payment_error: null,
  ...more,
});
const invoice = (id: string, more: object = {}): Thing => ({
  id,
  object: "invoice",
  created: START,
  customer: "cus_1",
  currency: "eur",
  status: "open",
  number: id,
  amount_due: 500,
  amount_paid: 0,
  ...more,
});
const subscription = (id: string, items: readonly unknown[] = [], more: object = {}): Thing => ({
  id,
  object: "subscription",
  created: START,
  customer: "cus_1",
  currency: "eur",
  status: "active",
  cancel_at_period_end: false,
  items: { object: "list", data: items, has_more: false },
  ...more,
});
/** Objects whose id is no text: `Thing` requires one. */
const unnamed = (json: string): Thing => JSON.parse(json) as Thing;

const bigItems = Array.from({ length: 7_000 }, (_, i) => ({
  id: `si_${i}`,
  quantity: 1,
  price: { id: `price_${i}_${"x".repeat(40)}`, unit_amount: 1, recurring: null },
}));

/** Stored as they are but for the field that is poisoned: type, object, id of the record, expected fields. */
const STORED: readonly [string, string, Thing, string, object][] = [
  ["customers", "customers", customer("cus_name", { name: `A${LONE}da` }), "cus_name", { name: "A\ufffdda" }],
  ["customers", "customers", customer(`cus_${LONE}`), "cus_\ufffd", { email: `cus_\ufffd@example.com` }],
  ["customers", "customers", customer("cus_meta", { metadata: { [LONE]: LONE } }), "cus_meta", { name: "cus_meta" }],
  ["customers", "customers", customer("cus_deep", { metadata: "@deep@" }), "cus_deep", { name: "cus_deep" }],
  [
    "customers",
    "customers",
    customer("cus_types", { name: 5, email: [], delinquent: "no" }),
    "cus_types",
    { name: null },
  ],
  ["customers", "customers", customer("cus_long", { name: "x".repeat(100_000) }), "cus_long", { name: null }],
  ["customers", "customers", customer("cus_early", { created: -1 }), "cus_early", { createdAt: 0 }],
  ["customers", "customers", customer("cus_late", { created: 1e20 }), "cus_late", { createdAt: 0 }],
  ["customers", "customers", customer("cus_word", { created: "today" }), "cus_word", { createdAt: 0 }],
  ["customers", "customers", customer("cus/../1"), "cus/../1", { name: "cus/../1" }],
  ["invoices", "invoices", invoice("in_ref", { customer: `cus_${LONE}` }), "in_ref", { customerId: "cus_\ufffd" }],
  ["invoices", "invoices", invoice("in_inf", { amount_due: "@infinite@" }), "in_inf", { amountDue: null }],
  ["payments", "payment_intents", payment("pi_part", { amount: 1.5 }), "pi_part", { amount: null }],
  ["payments", "payment_intents", payment("pi_minus", { amount: -0 }), "pi_minus", { amount: 0 }],
  [
    "subscriptions",
    "subscriptions",
    subscription("sub_items", [null, 5, "x", { price: { id: `p${LONE}` }, quantity: "two" }]),
    "sub_items",
    { items: [{ priceId: "p\ufffd", quantity: null, unitAmount: null, interval: null }] },
  ],
];

/** Set aside: the object, and its name in the event. */
const SET_ASIDE: readonly [string, Thing, string][] = [
  ["customers", unnamed(`{"id":null,"object":"customer","created":${START}}`), "(no id)"],
  ["customers", unnamed(`{"object":"customer","created":${START}}`), "(no id)"],
  ["customers", unnamed(`{"id":5,"object":"customer","created":${START}}`), "5"],
  ["customers", customer(".."), ".."],
  ["customers", customer("cus_\u0000"), "cus_\ufffd"],
  ["customers", customer("y".repeat(2_000)), "y".repeat(255)],
  ["customers", { ...payment("pi_wrong"), created: START }, "pi_wrong"],
  ["subscriptions", subscription("sub_big", bigItems), "sub_big"],
];

type Organization = ReturnType<typeof organizationOf>;

/** The names of the objects that events have named. */
const namedBy = async (organization: Organization, eventType: string, filter = ""): Promise<string[]> =>
  (await organization.events(`eventType=${eventType}${filter}`))
    .filter(({ errorCode }) => errorCode === "not_storable")
    .map(({ metadata }) => (metadata as { objectId: string }).objectId)
    .sort();

const GOOD = 110;
const goodIds = Array.from({ length: GOOD }, (_, i) => `cus_good_${String(i).padStart(3, "0")}`);

const fill = (account: OtherAccount): void => {
  goodIds.forEach((id, i) => {
    // The poisoned objects are between them; the newest is the first of a page and the 100th the last.
    put(account, "customers", customer(id, { created: START + (i < GOOD / 2 ? -1_000 : 1_000) + i }));
  });
  for (const [, collection, object] of STORED) account.things[collection]?.push(object);
  for (const [collection, object] of SET_ASIDE) account.things[collection]?.push(object);
  // One id twice, with other contents.
  account.things.customers?.push(customer("cus_twice", { name: "one" }), customer("cus_twice", { name: "two" }));
  // Pages end with ids that a URL cannot contain, or that are no text.
  for (let i = 0; i < 60; i++) account.things.invoices?.push(invoice(`in_good_${i}`, { created: START + 500 - i }));
  for (let i = 0; i < 45; i++) account.things.invoices?.push(invoice(`in_${i}_${LONE}`, { created: START + 100 - i }));
};

let ours: Organization;
let theirs: Organization;
let account: OtherAccount;
let webhooks: ReturnType<typeof webhookSender>;

/** All records are as they must be, whatever happened since. */
const expectRecords = async (): Promise<void> => {
  const records = new Map<string, Map<string, Record<string, unknown>>>();
  for (const type of ["customers", "subscriptions", "invoices", "payments"]) {
    records.set(type, new Map((await ours.records(type)).map((record) => [record.id, record])));
  }
  const customers = records.get("customers");
  for (const id of goodIds)
    expect(customers?.get(id)).toMatchObject({ name: id, email: `${id}@example.com`, deleted: false });
  for (const [type, , , id, fields] of STORED) {
    expect(records.get(type)?.get(id)).toMatchObject({ id, type, deleted: false, ...fields });
  }
  for (let i = 0; i < 60; i++) expect(records.get("invoices")?.get(`in_good_${i}`)).toMatchObject({ amountDue: 500 });
  for (let i = 0; i < 45; i++) expect(records.get("invoices")?.has(`in_${i}_\ufffd`)).toBe(true);
  expect(records.get("subscriptions")?.has("sub_big")).toBe(false);
};

const setAsideNames = [...new Set(SET_ASIDE.map(([collection, , name]) => `${collection} ${name}`))]
  .map((one) => one.slice(one.indexOf(" ") + 1))
  .sort();

beforeAll(async () => {
  theirs = organizationOf(service, "unpoisoned");
  const other = provider.account();
  put(other, "customers", customer("cus_theirs"));
  await theirs.connect(other.apiKey);
  ours = organizationOf(service, "poisoned");
  account = provider.account();
  fill(account);
  expect(await ours.connect(account.apiKey, { webhookSecret: SECRET })).toMatchObject({ status: 200 });
  webhooks = webhookSender(service, ours.organizationId, SECRET);
});

describe("a full run over poisoned objects", () => {
  it("succeeds, stores what can be stored, and names the others once", async () => {
    const run = await ours.lastRun();
    expect(run).toMatchObject({ mode: "full", status: "succeeded" });
    await expectRecords();
    expect(await namedBy(ours, "PROVIDER_REQUEST")).toEqual(setAsideNames);
    const { customers, subscriptions, invoices } = run.completeness as Record<string, Record<string, unknown>>;
    // The two objects without an id are one name; one of the two objects with the same id counts.
    expect(customers).toMatchObject({
      listed: GOOD + 10 + 7 + 1,
      setAside: 7,
      onlyStored: [],
      onlyListed: ["pi_wrong"],
    });
    expect(subscriptions).toMatchObject({ listed: 2, stored: 1, setAside: 1, onlyListed: ["sub_big"] });
    expect(invoices).toMatchObject({ listed: 107, stored: 107, onlyListed: [], onlyStored: [] });
  });

  it("names nothing again in the next one", async () => {
    expect(await ours.sync({ mode: "full" })).toMatchObject({ status: "succeeded" });
    await expectRecords();
    expect(await namedBy(ours, "PROVIDER_REQUEST")).toEqual(setAsideNames);
  });
});

describe("an incremental run over poisoned events", () => {
  it("succeeds and applies the events around them", async () => {
    const created = now();
    const add = (type: string, object: Thing, more: object = {}) => {
      Object.assign(addEvent(account, type, object, created), more);
    };
    put(account, "customers", customer("cus_before", { created }));
    add("customer.created", customer("cus_before", { created }));
    add("customer.updated", customer("cus_name", { name: `${LONE}Bob` }));
    add("customer.updated", unnamed('{"id":null,"object":"customer"}'));
    add("customer.updated", customer("cus_huge", { name: "x".repeat(100_000) }), { id: `evt_${LONE}` });
    add("customer.updated", customer("cus_undated"), { created: 1e20 });
    add("customer.updated", customer("cus_future"), { created: created + 1_000_000 });
    add("customer.subscription.updated", subscription("sub_big", bigItems));
    add("charge.refunded", unnamed('{"id":"ch_1","payment_intent":["pi_1"]}'));
    add("charge.refunded", unnamed(`{"id":"ch_2","payment_intent":"pi_${"\\"}ud800"}`));
    add("refund.created", unnamed('{"id":"re_1","payment_intent":"pi_part"}'));
    add("charge.dispute.created", unnamed('{"id":"dp_1","payment_intent":"../account"}'));
    put(account, "customers", customer("cus_after", { created }));
    add("customer.created", customer("cus_after", { created }));
    const run = await ours.sync();
    expect(run).toMatchObject({ mode: "incremental", status: "succeeded" });
    const customers = new Map((await ours.records("customers")).map((one) => [one.id, one]));
    expect(customers.get("cus_before")).toMatchObject({ name: "cus_before" });
    expect(customers.get("cus_after")).toMatchObject({ name: "cus_after" });
    expect(customers.get("cus_name")).toMatchObject({ name: "\ufffdBob" });
    expect(customers.get("cus_huge")).toMatchObject({ name: null });
    // The object of the dispute does not exist at the provider, so it is stored as deleted.
    const more = ["(no id)", "cus_future", "cus_undated", "pi_\ufffd"];
    expect(await namedBy(ours, "PROVIDER_REQUEST")).toEqual([...setAsideNames, ...more].sort());
    put(account, "customers", customer("cus_name", { name: `A${LONE}da` }));
    addEvent(account, "customer.updated", customer("cus_name", { name: `A${LONE}da` }), now() + 1);
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
  });
});

describe("webhooks about poisoned objects", () => {
  it("are acknowledged; what cannot be stored is named once, even if the delivery is repeated", async () => {
    const created = await webhooks.nowSeconds();
    const before = await namedBy(ours, "WEBHOOK_NOT_APPLIED");
    const event = (id: string, type: string, object: unknown, more: object = {}) => ({
      id,
      object: "event",
      created,
      type,
      data: { object },
      ...more,
    });
    const payloads = [
      event("evt_w_good", "customer.created", customer("cus_w_good", { created })),
      event(`evt_${LONE}w`, "customer.created", customer("cus_w_id", { created })),
      event("evt/../w", "customer.created", customer("cus_w_path", { created })),
      event("e".repeat(2_000), "customer.created", customer("cus_w_long", { created })),
      event("evt_w_name", "customer.created", customer("cus_w_name", { created, name: LONE })),
      event("evt_w_lone", "customer.created", customer(`cus_w${LONE}`, { created })),
      event("evt_w_null", "customer.updated", unnamed('{"id":null,"object":"customer"}')),
      event("evt_w_type", "customer.updated", payment("pi_w_type")),
      event("evt_w_time", "customer.updated", customer("cus_w_time"), { created: -1 }),
      event("evt_w_big", "customer.subscription.updated", subscription("sub_big", bigItems)),
      event("evt_w_data", "invoice.paid", 7),
      event(`a${LONE}`, `customer.${LONE}`, customer("cus_w_unknown")),
      `{"id":"evt_w_deep","created":${created},"type":"customer.created","data":{"object":{"id":"cus_w_deep","object":"customer","created":1e400,"metadata":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}}}`,
    ];
    for (let time = 0; time < 2; time++) {
      for (const payload of payloads) expect(await webhooks.send(payload)).toMatchObject({ status: 200 });
    }
    const stored = ["cus_w_good", "cus_w_id", "cus_w_path", "cus_w_long", "cus_w_name", "cus_w\ufffd", "cus_w_deep"];
    await eventually("the webhooks are processed", async () => {
      const ids = new Set((await ours.records("customers")).map(({ id }) => id));
      const named = await namedBy(ours, "WEBHOOK_NOT_APPLIED");
      return stored.every((id) => ids.has(id)) && named.length >= before.length + 5;
    });
    const named = ["(no id)", "(no id)", "cus_w_time", "pi_w_type", "sub_big"];
    expect(await namedBy(ours, "WEBHOOK_NOT_APPLIED")).toEqual([...before, ...named].sort());
  });
});

describe("connecting an account with a poisoned id", () => {
  it.each([`acct_${LONE}`, "", 5, null, "a".repeat(2_000)])(
    "stores nothing, and is no fault of ours: %j",
    async (id) => {
      const stranger = organizationOf(service, `poisoned-account-${String(id).length}`);
      const key = provider.key(account);
      provider.meddle(({ path, secret }) =>
        path === "/v1/account" && secret === key ? { status: 200, body: { id, object: "account" } } : undefined,
      );
      expect(await stranger.connect(key)).toMatchObject({ status: 503 });
      provider.behave();
      expect((await stranger.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    },
  );
});

describe("afterwards", () => {
  it("nothing hangs or repeats in twelve hours, and a corrected object is stored", async () => {
    const named = await namedBy(ours, "PROVIDER_REQUEST");
    const before = (await ours.runs()).length;
    await service.advance(12 * 3_600_000);
    const runs = await eventually("the scheduled runs have ended", async () => {
      const all = await ours.runs();
      return all.length > before && all.every(({ status }) => status !== "running") && all;
    });
    expect(runs.map(({ status }: Run) => status)).toEqual(runs.map(() => "succeeded"));
    await expectRecords();
    expect(await namedBy(ours, "PROVIDER_REQUEST", "&since=0")).toEqual(named);
    put(account, "subscriptions", subscription("sub_big", [], { status: "past_due" }));
    addEvent(account, "customer.subscription.updated", subscription("sub_big", [], { status: "past_due" }));
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
    const healed = (await ours.records("subscriptions")).find(({ id }) => id === "sub_big");
    expect(healed).toMatchObject({ status: "past_due", deleted: false });
    expect(await theirs.records("customers")).toMatchObject([{ id: "cus_theirs", name: "cus_theirs", deleted: false }]);
    expect((await theirs.runs()).every(({ status }) => status === "succeeded")).toBe(true);
    expect(service.logged()).not.toMatch(/URIError|SerializationException|RangeError/);
  });
});
