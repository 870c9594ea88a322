import { describe, expect, it } from "@jest/globals";
import { parseDeletion, parseObject } from "../../../../shared/provider/stripe/objects.ts";
import { type RecordType, recordFields, recordTypes } from "../../../../shared/records/record.ts";
import * as given from "./fixtures.ts";

const observedAt = { from: 7, to: 9 };
const ms = (seconds: number) => given.CREATED_MS + seconds * 1_000;

describe("an object of the provider", () => {
  it.each([
    [
      "customers",
      given.customer,
      { name: "Ada Lovelace", email: "ada@example.com", currency: "eur", delinquent: false },
    ],
    [
      "subscriptions",
      given.subscription,
      {
        status: "active",
        customerId: "cus_Q1",
        currency: "eur",
        items: [
          { priceId: "price_1", quantity: 2, unitAmount: 1_500, interval: "month" },
          { priceId: "price_2", quantity: null, unitAmount: null, interval: "year" },
        ],
        currentPeriodStart: ms(0),
        currentPeriodEnd: ms(400),
        cancelAtPeriodEnd: true,
        canceledAt: ms(50),
      },
    ],
    [
      "subscriptions",
      given.oldSubscription,
      {
        status: "trialing",
        customerId: "cus_Q1",
        currency: "usd",
        items: [{ priceId: "gold", quantity: 1, unitAmount: 900, interval: "week" }],
        currentPeriodStart: ms(20),
        currentPeriodEnd: ms(200),
        cancelAtPeriodEnd: false,
        canceledAt: null,
      },
    ],
    [
      "invoices",
      given.invoice,
      {
        number: "A1B2C3-0001",
        status: "open",
        customerId: "cus_Q1",
        subscriptionId: "sub_1",
        currency: "eur",
        amountDue: 3_000,
        amountPaid: 1_000,
        dueAt: ms(1_000),
        paidAt: ms(30),
      },
    ],
    [
      "invoices",
      given.oldInvoice,
      {
        number: null,
        status: "paid",
        customerId: "cus_Q1",
        subscriptionId: "sub_0",
        currency: "usd",
        amountDue: 900,
        amountPaid: 900,
        dueAt: null,
        paidAt: ms(5),
      },
    ],
    [
      "payments",
      given.payment,
      {
        status: "requires_payment_method",
        customerId: "cus_Q1",
        invoiceId: null,
        currency: "eur",
        amount: 3_000,
        amountReceived: 0,
        failureCode: "card_declined",
      },
    ],
    [
      "payments",
      given.oldPayment,
      {
        status: "succeeded",
        customerId: null,
        invoiceId: "in_0",
        currency: "usd",
        amount: 900,
        amountReceived: 900,
        failureCode: null,
      },
    ],
    [
      "refunds",
      given.refund,
      {
        amount: 100,
        currency: "eur",
        status: "failed",
        reason: "requested_by_customer",
        paymentId: "pi_1",
        failureReason: "lost_or_stolen_card",
      },
    ],
    [
      "disputes",
      given.dispute,
      {
        amount: 900,
        currency: "eur",
        status: "needs_response",
        reason: "fraudulent",
        paymentId: "pi_1",
        evidenceDueAt: ms(5),
      },
    ],
    [
      "payouts",
      given.payout,
      {
        amount: 12_300,
        currency: "eur",
        status: "failed",
        method: "standard",
        arrivesAt: ms(5),
        failureCode: "account_closed",
        automatic: true,
      },
    ],
  ] as const)("gives its fields in either shape: %s", (type, object, fields) => {
    const seen = parseObject(type, object, observedAt);
    expect(seen).toEqual({ kind: "state", type, id: object.id, createdAt: given.CREATED_MS, fields, observedAt });
    expect(recordFields[type].safeParse(fields).success).toBe(true);
  });

  it.each(recordTypes)("has null for missing or wrong fields only: %s", (type) => {
    const wrong = {
      id: "x",
      created: "yesterday",
      name: 5,
      email: ["a"],
      currency: { code: "eur" },
      delinquent: "no",
      status: null,
      customer: 12,
      items: "none",
      parent: { subscription_details: 3 },
      amount_due: 1.5,
      amount_paid: "900",
      due_date: -1,
      amount: Number.MAX_VALUE,
      last_payment_error: "card_declined",
      canceled_at: 1e300,
      invoice: { object: "invoice" },
      subscription: "",
      payment_intent: 7,
      evidence_details: [],
      arrival_date: "soon",
      automatic: 1,
    };
    for (const object of [wrong, { id: "x" }]) {
      const seen = parseObject(type, object, observedAt);
      expect(seen).toMatchObject({ kind: "state", id: "x", createdAt: 0 });
      if (seen?.kind !== "state") throw new Error("It is a state.");
      expect(Object.keys(seen.fields).sort()).toEqual(Object.keys(recordFields[type].shape).sort());
      expect(new Set(Object.values(seen.fields))).toEqual(new Set([null]));
    }
  });

  it("keeps only valid items of a subscription", () => {
    const data = [null, "si", { price: { id: "price_1" } }, { quantity: "many", price: 7 }];
    expect(parseObject("subscriptions", { id: "sub_1", items: { data } }, observedAt)).toMatchObject({
      fields: {
        items: [
          { priceId: "price_1", quantity: null, unitAmount: null, interval: null },
          { priceId: null, quantity: null, unitAmount: null, interval: null },
        ],
        currentPeriodStart: null,
        currentPeriodEnd: null,
      },
    });
    expect(parseObject("subscriptions", { id: "sub_1", items: { data: [] } }, observedAt)).toMatchObject({
      fields: { items: [] },
    });
  });

  it.each<[unknown, string]>([
    [{}, "(no id)"],
    [{ id: "" }, "(no id)"],
    [{ id: 5 }, "5"],
    [{ id: null }, "(no id)"],
    [{ id: "x".repeat(2_000) }, "x".repeat(255)],
    [{ id: `${"x".repeat(254)}🌱${"x".repeat(50)}` }, `${"x".repeat(254)}\ufffd`],
    [{ id: "cus_1\ncus_2" }, "cus_1\ufffdcus_2"],
    [{ id: "cus 1" }, "cus\ufffd1"],
    [{ id: "cus_\u0000" }, "cus_\ufffd"],
    [{ id: ".." }, ".."],
    [null, "(no id)"],
    ["cus_1", "(no id)"],
    [[given.customer], "(no id)"],
  ])("is set aside without a usable id: %j", (object, name) => {
    for (const type of Object.keys(recordFields) as RecordType[]) {
      const aside = { kind: "set_aside", type, name, reason: "id" };
      expect(parseObject(type, object, observedAt)).toEqual(aside);
      expect(parseDeletion(type, object, observedAt)).toEqual(aside);
    }
  });

  it("is set aside if it is of another type than requested", () => {
    const aside = { kind: "set_aside", type: "customers", id: "pi_1", name: "pi_1", reason: "type" };
    expect(parseObject("customers", given.payment, observedAt)).toEqual(aside);
    expect(parseDeletion("customers", given.payment, observedAt)).toEqual(aside);
  });

  it("has U+FFFD in place of lone surrogates, in its id and in every text", () => {
    const object = { ...given.invoice, id: "in_\ud800", customer: "cus_\udfff", number: "A\ud800-1", currency: "🌱" };
    expect(parseObject("invoices", object, observedAt)).toMatchObject({
      id: "in_\ufffd",
      fields: { customerId: "cus_\ufffd", number: "A\ufffd-1", currency: "🌱" },
    });
  });

  it("has the same fields after it was stored, also with −0", () => {
    const object = { ...given.payment, amount: -0, created: -0 };
    const seen = parseObject("payments", object, observedAt);
    expect(seen).toStrictEqual(expect.objectContaining({ createdAt: 0 }));
    expect(seen).toMatchObject({ fields: { amount: 0 } });
  });

  it.each([-1, 1e20, 1.5, "today", Number.POSITIVE_INFINITY, [], {}, true])(
    "has no time or amount that is none: %j",
    (value) => {
      const subscription = {
        ...given.oldSubscription,
        created: value,
        current_period_start: value,
        canceled_at: value,
      };
      expect(parseObject("subscriptions", subscription, observedAt)).toMatchObject({
        createdAt: 0,
        fields: { canceledAt: null },
      });
      const amount = value === -1 ? -1 : null;
      const payment = { ...given.payment, amount: value };
      if (value !== 1e20) expect(parseObject("payments", payment, observedAt)).toMatchObject({ fields: { amount } });
    },
  );

  it("is deleted by its own field, or by a deletion event", () => {
    const gone = { id: "cus_1", object: "customer", deleted: true };
    expect(parseObject("customers", gone, observedAt)).toEqual({
      kind: "deleted",
      type: "customers",
      id: "cus_1",
      observedAt,
    });
    expect(parseDeletion("customers", given.customer, observedAt)).toEqual({
      kind: "deleted",
      type: "customers",
      id: "cus_Q1",
      createdAt: given.CREATED_MS,
      observedAt,
    });
  });
});
