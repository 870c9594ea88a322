import { describe, expect, it } from "@jest/globals";
import { parseDeliveredEvent, parseProviderEvent } from "../../../../shared/provider/stripe/events.ts";
import * as given from "./fixtures.ts";

const at = given.CREATED_SECONDS;
const observedAt = { from: at, to: at };
const seen = (type: string, object: unknown) => given.parsedEvent(given.event(type, object))?.observations;
const brief = (type: string, object: unknown) =>
  seen(type, object)?.map(({ kind, type: of, id }) => `${kind} ${of} ${id}`);

const named = (subject: string, happenings: string) => happenings.split(" ").map((one) => `${subject}.${one}`);

describe("an event of the provider", () => {
  it("has its id, type and time", () => {
    expect(given.parsedEvent(given.event("customer.updated", given.customer))).toEqual({
      id: "evt_1",
      type: "customer.updated",
      createdSeconds: at,
      isDeauthorization: false,
      observations: [
        {
          kind: "state",
          type: "customers",
          id: "cus_Q1",
          createdAt: given.CREATED_MS,
          fields: { name: "Ada Lovelace", email: "ada@example.com", currency: "eur", delinquent: false },
          observedAt,
        },
      ],
    });
  });

  it.each([
    ...named("customer", "created updated").map((type) => [type, given.customer, ["state customers cus_Q1"]]),
    ["customer.deleted", given.customer, ["deleted customers cus_Q1"]],
    ...named(
      "customer.subscription",
      "created updated deleted paused resumed trial_will_end pending_update_applied pending_update_expired",
    ).map((type) => [type, given.subscription, ["state subscriptions sub_1"]]),
    ...named(
      "invoice",
      "created updated finalized finalization_failed sent paid payment_succeeded payment_failed payment_action_required marked_uncollectible voided overdue overpaid will_be_due",
    ).map((type) => [type, given.invoice, ["state invoices in_1"]]),
    ["invoice.paid", given.oldInvoice, ["state invoices in_0", "linked payments pi_0"]],
    ["invoice.deleted", given.invoice, ["deleted invoices in_1"]],
    ["invoice_payment.paid", given.invoicePayment, ["linked payments pi_1"]],
    ["invoice_payment.paid", { ...given.invoicePayment, payment: { type: "charge", charge: "ch_1" } }, []],
    ["invoice_payment.paid", { ...given.invoicePayment, status: "canceled" }, ["linked payments pi_1"]],
    ...named(
      "payment_intent",
      "created processing requires_action amount_capturable_updated partially_funded payment_failed succeeded canceled",
    ).map((type) => [type, given.payment, ["state payments pi_1"]]),
    ...named("charge", "pending succeeded failed captured expired updated refunded").map((type) => [
      type,
      given.charge,
      ["touched payments pi_1"],
    ]),
    ["charge.refund.updated", given.refund, ["state refunds re_1", "touched payments pi_1"]],
    ["charge.succeeded", { ...given.charge, payment_intent: null }, []],
    ...named("charge.dispute", "created updated closed funds_withdrawn funds_reinstated").map((type) => [
      type,
      given.dispute,
      ["state disputes dp_1", "touched payments pi_1"],
    ]),
    ["charge.dispute.created", { ...given.dispute, payment_intent: undefined }, ["state disputes dp_1"]],
    ...named("refund", "created updated failed").map((type) => [
      type,
      given.refund,
      ["state refunds re_1", "touched payments pi_1"],
    ]),
    ...named("payout", "created updated paid failed canceled reconciliation_completed").map((type) => [
      type,
      given.payout,
      ["state payouts po_1"],
    ]),
    // Similar types that are not read.
    ["customer.source.updated", { id: "card_1", object: "card" }, []],
    ["invoice.upcoming", given.invoice, []],
    ["something.happened", given.customer, []],
  ] as [string, unknown, string[]][])("has observations of our objects: %s", (type, object, observations) => {
    expect(brief(type, object)).toEqual(observations);
    for (const observation of seen(type, object) ?? []) expect(observation.observedAt).toEqual(observedAt);
  });

  it("links a payment and its invoice, from either object", () => {
    expect(seen("invoice.paid", oldShape())).toContainEqual({
      kind: "linked",
      type: "payments",
      id: "pi_0",
      invoiceId: "in_0",
      observedAt,
    });
    expect(seen("invoice_payment.paid", given.invoicePayment)).toEqual([
      { kind: "linked", type: "payments", id: "pi_1", invoiceId: "in_1", observedAt },
    ]);
    expect(seen("payment_intent.succeeded", given.oldPayment)).toMatchObject([{ fields: { invoiceId: "in_0" } }]);
  });

  it("of a cancelled subscription has its last state", () => {
    expect(seen("customer.subscription.deleted", { ...given.subscription, status: "canceled" })).toMatchObject([
      { kind: "state", fields: { status: "canceled" } },
    ]);
  });

  it("reports that the account revoked its permission", () => {
    const taken = given.parsedEvent(given.event("account.application.deauthorized", { id: "ca_1" }));
    expect(taken).toMatchObject({ isDeauthorization: true, observations: [] });
    expect(given.parsedEvent(given.event("account.application.authorized", { id: "ca_1" }))).toMatchObject({
      isDeauthorization: false,
      observations: [],
    });
  });

  it.each([
    [null],
    [[]],
    ["evt_1"],
    [{}],
    [{ ...given.event("a.b", {}), id: undefined }],
    [{ ...given.event("a.b", {}), type: 5 }],
    [{ ...given.event("a.b", {}), created: "today" }],
    [{ ...given.event("a.b", {}), created: -1 }],
  ])("is undefined without an id, a type or a time: %j", (payload) => {
    expect(given.parsedEvent(payload)).toBeUndefined();
  });

  it.each([["evt/1"], ["#gap"], ["evt_\ud800"], ["e".repeat(256)], ["evt 1"]])(
    "has another id that can be stored in place of %j",
    (id) => {
      const { id: stored } = given.parsedEvent({ ...given.event("a.b", {}), id }) ?? {};
      expect(stored).toMatch(/^event:[\w-]{43}$/);
      expect(given.parsedEvent({ ...given.event("a.b", {}), id: `${id}.` })?.id).not.toBe(stored);
    },
  );

  it("has a type that can be stored", () => {
    expect(given.parsedEvent(given.event("a.\ud800", {}))?.type).toBe("a.\ufffd");
    expect(given.parsedEvent(given.event("x".repeat(300), {}))?.type).toBe("x".repeat(255));
  });

  it.each([-1, 1e20, "today", null, undefined, at + 3_901])("is set aside with the time %j", (created) => {
    const payload = { ...given.event("customer.updated", given.customer), created };
    const aside = { kind: "set_aside", type: "customers", id: "cus_Q1", name: "cus_Q1", reason: "time" };
    expect(parseProviderEvent(payload, at + 3_600)).toEqual(aside);
    const delivered = { id: "evt_1", createdSeconds: at + 3_600, observations: [], setAside: [aside] };
    expect(parseDeliveredEvent(payload, (at + 3_600) * 1_000)).toMatchObject(delivered);
  });

  it("is set aside without an id, and no event if a webhook delivers it", () => {
    const payload = { ...given.event("customer.updated", given.customer), id: 5 };
    expect(parseProviderEvent(payload, at)).toMatchObject({ name: "cus_Q1", reason: "event" });
    expect(parseDeliveredEvent(payload, at * 1_000)).toBeUndefined();
  });

  it("names the payment that it touches if that has no usable id", () => {
    const aside = { kind: "set_aside", type: "payments", reason: "id" };
    for (const [payment_intent, name] of [
      [5, "5"],
      ["pi\n1", "pi\ufffd1"],
      [{ id: "" }, "(no id)"],
    ]) {
      const event = given.parsedEvent(given.event("charge.refunded", { id: "ch_1", payment_intent }));
      expect(event).toMatchObject({ observations: [], setAside: [{ ...aside, name }] });
    }
  });

  it.each([[undefined], [null], [{}], [{ object: null }], [{ object: [] }], ["data"]])(
    "has no observations without an object: %j",
    (data) => {
      for (const type of [
        "customer.updated",
        "customer.deleted",
        "invoice.paid",
        "charge.refunded",
        "invoice_payment.paid",
      ]) {
        expect(given.parsedEvent({ ...given.event(type, null), data })?.observations).toEqual([]);
      }
    },
  );
});

const oldShape = () => ({ ...given.oldInvoice, payment_intent: { id: "pi_0", object: "payment_intent" } });
