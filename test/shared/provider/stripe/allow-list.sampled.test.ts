import { describe, expect, it } from "@jest/globals";
import { parseInvoicePayment, parseObject } from "../../../../shared/provider/stripe/objects.ts";
import type { Observation } from "../../../../shared/records/observation.ts";
import { recordFields, recordTypes } from "../../../../shared/records/record.ts";
import { isSetAside } from "../../../../shared/records/set-aside.ts";
import { depth } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";
import * as given from "./fixtures.ts";

const observedAt = { from: 1, to: 2 };
const CARD = "4242424242424242";
const IBAN = "DE89370400440532013000";

/** The fields whose values are kept; the values of all others must be removed. */
const READ = new Set(
  (
    "id created deleted name email currency delinquent status customer items data price plan recurring interval " +
    "unit_amount amount quantity current_period_start current_period_end cancel_at_period_end canceled_at number " +
    "subscription parent subscription_details amount_due amount_paid due_date status_transitions paid_at invoice " +
    "amount_received last_payment_error code payment payment_intent type object reason failure_reason evidence_details " +
    "due_by arrival_date method failure_code automatic"
  ).split(" "),
);

const objects = [
  ["customers", given.customer],
  ["subscriptions", given.subscription],
  ["subscriptions", given.oldSubscription],
  ["invoices", given.invoice],
  ["invoices", given.oldInvoice],
  ["payments", given.payment],
  ["payments", given.oldPayment],
  ["refunds", given.refund],
  ["disputes", given.dispute],
  ["payouts", given.payout],
] as const;

const eventTypes = [
  "customer.updated",
  "customer.deleted",
  "customer.subscription.updated",
  "invoice.paid",
  "invoice.deleted",
  "invoice_payment.paid",
  "payment_intent.succeeded",
  "refund.created",
  "charge.dispute.created",
  "payout.paid",
  "charge.refunded",
  "charge.dispute.created",
];

/** A copy with secrets planted under unread names, at every depth. */
const plant = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => plant(one, name));
  if (typeof value !== "object" || value === null) return value;
  const planted = Object.entries(value).map(([key, one]) => [key, plant(one, name)]);
  return { ...Object.fromEntries(planted), [name]: { number: CARD, iban: IBAN }, [`${name}_text`]: `${CARD} ${IBAN}` };
};

const unreadName = fc
  .oneof(
    fc.constantFrom("card", "bank_account", "payment_method_details", "sepa_debit", "source", "metadata", "number_"),
    fc.string({ minLength: 1, maxLength: 12 }),
  )
  .filter((name) => !READ.has(name) && name !== "__proto__");

/** Fails if an observation has a field that records do not have. */
const expectOnlyOurFields = (observation: Observation): void => {
  const own = ["kind", "type", "id", "createdAt", "fields", "observedAt", "invoiceId"];
  for (const name of Object.keys(observation)) expect(own).toContain(name);
  if (observation.kind !== "state") return;
  const { type, fields } = observation;
  expect(Object.keys(fields).sort()).toEqual(Object.keys(recordFields[type].shape).sort());
  expect(recordFields[type].safeParse(fields)).toEqual({ success: true, data: fields });
};

describe("the fields read from the provider's objects", () => {
  it("exclude card numbers and bank accounts anywhere", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...objects),
        unreadName,
        fc.constantFrom(...eventTypes),
        ([type, object], name, event) => {
          const planted = plant(object, name);
          const observations = [
            parseObject(type, planted, observedAt),
            ...(given.parsedEvent(plant(given.event(event, planted), name))?.observations ?? []),
          ].filter((one) => !isSetAside(one));
          expect(observations.length).toBeGreaterThan(0);
          const text = JSON.stringify(observations);
          expect(text).not.toContain(CARD);
          expect(text).not.toContain(IBAN);
          for (const observation of observations) expectOnlyOurFields(observation);
        },
      ),
    );
  });

  it("are read from any JSON without an error", () => {
    const names = fc.oneof(fc.constantFrom(...READ, "__proto__", "constructor"), fc.string({ maxLength: 8 }));
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { depthSize: "medium", withCrossShrink: true },
        fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, 1_794_000_000, "", "cus_1", "x".repeat(3_000)),
        fc.string(),
        fc.integer(),
        fc.array(tie("json"), { maxLength: 4 }),
        fc.dictionary(names, tie("json"), { maxKeys: 8 }),
      ),
    }));
    fc.assert(
      fc.property(json, fc.constantFrom(...eventTypes), (value, type) => {
        const payload: unknown = JSON.parse(JSON.stringify(value));
        for (const recordType of recordTypes) {
          const seen = parseObject(recordType, payload, observedAt);
          if (!isSetAside(seen)) expectOnlyOurFields(seen);
          const owned = parseObject(
            recordType,
            { ...(typeof payload === "object" ? payload : {}), id: "x", object: undefined },
            observedAt,
          );
          if (isSetAside(owned)) throw new Error("Whatever has an id is an object.");
          expectOnlyOurFields(owned);
        }
        parseInvoicePayment(payload, observedAt);
        given.parsedEvent(payload);
        for (const one of given.parsedEvent(given.event(type, payload))?.observations ?? []) expectOnlyOurFields(one);
      }),
      { numRuns: depth(80, 500) },
    );
  });
});
