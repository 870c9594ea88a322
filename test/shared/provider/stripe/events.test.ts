import { describe, expect, it } from "@jest/globals";
import { parseProviderEvent } from "../../../../shared/provider/stripe/events.ts";
import * as given from "./fixtures.ts";

const at = given.CREATED_SECONDS;
const observedAt = { from: at, to: at };
const seen = (type: string, object: unknown) => parseProviderEvent(given.event(type, object))?.observations;
const brief = (type: string, object: unknown) =>
  seen(type, object)?.map(({ kind, type: of, id }) => `${kind} ${of} ${id}`);

const named = (subject: string, happenings: string) => happenings.split(" ").map((one) => `${subject}.${one}`);

describe("an event of the provider", () => {
  it("has its id, type and time", () => {
    expect(parseProviderEvent(given.event("customer.updated", given.customer))).toEqual({
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
    ["charge.refund.updated", given.refund, ["touched payments pi_1"]],
    ["charge.succeeded", { ...given.charge, payment_intent: null }, []],
    ...named("charge.dispute", "created updated closed funds_withdrawn funds_reinstated").map((type) => [
      type,
      given.dispute,
      ["touched payments pi_1"],
    ]),
    ["charge.dispute.created", { ...given.dispute, payment_intent: undefined }, []],
    ...named("refund", "created updated failed").map((type) => [type, given.refund, ["touched payments pi_1"]]),
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
    const taken = parseProviderEvent(given.event("account.application.deauthorized", { id: "ca_1" }));
    expect(taken).toMatchObject({ isDeauthorization: true, observations: [] });
    expect(parseProviderEvent(given.event("account.application.authorized", { id: "ca_1" }))).toMatchObject({
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
    expect(parseProviderEvent(payload)).toBeUndefined();
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
        expect(parseProviderEvent({ ...given.event(type, null), data })?.observations).toEqual([]);
      }
    },
  );
});

const oldShape = () => ({ ...given.oldInvoice, payment_intent: { id: "pi_0", object: "payment_intent" } });
