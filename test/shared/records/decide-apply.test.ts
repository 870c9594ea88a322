import { describe, expect, it } from "@jest/globals";
import {
  type DecideOptions,
  type Decision,
  decideAnswered,
  decideApply,
} from "../../../shared/records/decide-apply.ts";
import type { ObjectDeleted, ObjectState, Observation } from "../../../shared/records/observation.ts";
import { coalesce, observedAnswer } from "../../../shared/records/observation.ts";
import type { StoredRecord } from "../../../shared/records/record-item.ts";
import {
  CREATED_AT,
  customer,
  deleted,
  invoice,
  linked,
  payment,
  seen,
  storedAs,
  subscription,
  touched,
  withCard,
} from "../../support/records.ts";

const key = { type: "customers", id: "cus_1" } as const;
const paymentKey = { type: "payments", id: "pi_1" } as const;
const bob = { name: "Bob" };
const succeeded = { status: "succeeded", amountReceived: 1_000 };

const keep: Decision = { kind: "keep" };
const reread: Decision = { kind: "reread" };
const writes = ({ createdAt, fields, observedAt }: ObjectState): Decision => ({
  kind: "write",
  content: { createdAt, fields, observedAt },
  isChange: true,
});
const observes = (state: ObjectState): Decision => ({ ...writes(state), isChange: false }) as Decision;
const deletes = (createdAt: number, observedAt: { from: number; to: number }): Decision => ({
  kind: "write",
  content: { createdAt, fields: undefined, observedAt },
  isChange: true,
});

const decide = (
  stored: StoredRecord | undefined,
  observations: Observation[],
  options: Partial<DecideOptions> = {},
) => {
  const [merged] = coalesce(observations);
  if (merged === undefined) throw new Error("no observation");
  return decideApply(stored, merged, { updatesObservedAt: true, ...options });
};

type Row = [what: string, stored: StoredRecord | undefined, observation: Observation, decision: Decision];

const tombstone: StoredRecord = { ...storedAs(customer(seen(10))), fields: undefined };

describe("a state", () => {
  it.each<Row>([
    ["of an unknown object is stored", undefined, customer(seen(10)), writes(customer(seen(10)))],
    ["that is newer replaces", storedAs(customer(seen(10))), customer(seen(11), bob), writes(customer(seen(11), bob))],
    [
      "that is newer and equal updates the time of observation",
      storedAs(customer(seen(10))),
      customer(seen(11)),
      observes(customer(seen(11))),
    ],
    ["that is older changes nothing", storedAs(customer(seen(10))), customer(seen(9), bob), keep],
    ["that is older and equal changes nothing", storedAs(customer(seen(10))), customer(seen(9)), keep],
    ["of the same second and equal changes nothing", storedAs(customer(seen(10))), customer(seen(10)), keep],
    ["of the same second that differs is read", storedAs(customer(seen(10))), customer(seen(10), bob), reread],
    [
      "within the stored state's time that differs is read",
      storedAs(customer(seen(10, 14))),
      customer(seen(12), bob),
      reread,
    ],
    [
      "within the stored state's time and equal changes nothing",
      storedAs(customer(seen(10, 14))),
      customer(seen(12)),
      keep,
    ],
    [
      "that overlaps, ends later and is equal updates the time of observation",
      storedAs(customer(seen(10))),
      customer(seen(10, 14)),
      observes(customer(seen(10, 14))),
    ],
    [
      "that is equal to a questioned record confirms it",
      { ...storedAs(customer(seen(10))), isInQuestion: true },
      customer(seen(10)),
      observes(customer(seen(10))),
    ],
    ["after a deletion changes nothing", tombstone, customer(seen(99)), keep],
  ])("%s", (_what, stored, observation, decision) => {
    expect(decide(stored, [observation])).toEqual(decision);
  });

  it.each<Row>([
    ["newer", storedAs(customer(seen(10))), customer(seen(11)), keep],
    ["overlapping", storedAs(customer(seen(10))), customer(seen(10, 14)), keep],
  ])(
    "that is equal costs no write if times of observation are not updated: %s",
    (_what, stored, observation, decision) => {
      expect(decide(stored, [observation], { updatesObservedAt: false })).toEqual(decision);
    },
  );
});

describe("a final state", () => {
  const final = [
    [payment(seen(10), succeeded), payment(seen(10))],
    [payment(seen(10), { status: "canceled" }), payment(seen(10))],
    [subscription(seen(10), { status: "canceled", canceledAt: 1 }), subscription(seen(10))],
    [invoice(seen(10), { status: "void" }), invoice(seen(10))],
  ] as const;

  it.each(final)("counts as later than other states of its second: %j", (last, other) => {
    expect(decide(storedAs(other), [last])).toEqual(writes(last));
    expect(decide(storedAs(last), [other])).toEqual(keep);
  });

  it.each(final)("is not undone by a touch, and causes no read: %j", (last) => {
    expect(decide(storedAs(last), [touched(last, seen(99))])).toEqual(keep);
  });

  it("is still replaced by a newer state, and by a deletion", () => {
    const open = storedAs(invoice(seen(10), { status: "void" }));
    expect(decide(open, [invoice(seen(11), { status: "void", number: "B" })])).toEqual(
      writes(invoice(seen(11), { status: "void", number: "B" })),
    );
    expect(decide(open, [deleted(open, seen(9))])).toEqual(deletes(CREATED_AT, seen(10)));
  });

  it.each([
    [invoice(seen(10), { status: "paid" }), invoice(seen(10))],
    [subscription(seen(10), { status: "past_due" }), subscription(seen(10))],
    [payment(seen(10), { status: "requires_action" }), payment(seen(10))],
    [payment(seen(10), { status: null }), payment(seen(10))],
  ])("does not include these states, which must be read: %j", (state, other) => {
    expect(decide(storedAs(other), [state])).toEqual(reread);
    expect(decide(storedAs(state), [other])).toEqual(reread);
  });
});

describe("a deletion", () => {
  it.each<Row>([
    ["that is newer", storedAs(customer(seen(10))), deleted(key, seen(11)), deletes(CREATED_AT, seen(11))],
    ["that is older", storedAs(customer(seen(10))), deleted(key, seen(9)), deletes(CREATED_AT, seen(10))],
    ["of an object never stored", undefined, deleted(key, seen(10), 77), deletes(77, seen(10))],
    ["of an object of unknown age", undefined, deleted(key, seen(10)), deletes(10_000, seen(10))],
    ["of a deleted object", tombstone, deleted(key, seen(11)), keep],
  ])("is final: %s", (_what, stored, observation, decision) => {
    expect(decide(stored, [observation])).toEqual(decision);
  });

  it.each([customer(seen(99), bob), touched(key, seen(99))])("is not undone by %j", (observation) => {
    expect(decide(tombstone, [observation])).toEqual(keep);
  });
});

describe("a touch", () => {
  it.each<Row>([
    ["of an unknown object is read", undefined, touched(key, seen(10)), reread],
    ["after the last observation is read", storedAs(customer(seen(10))), touched(key, seen(11)), reread],
    ["in the second of the last observation is read", storedAs(customer(seen(10))), touched(key, seen(10)), reread],
    ["that overlaps the last observation is read", storedAs(customer(seen(10, 14))), touched(key, seen(9, 10)), reread],
    ["before the last observation changes nothing", storedAs(customer(seen(11, 14))), touched(key, seen(10)), keep],
  ])("%s", (_what, stored, observation, decision) => {
    expect(decide(stored, [observation])).toEqual(decision);
  });
});

describe("an event that the feed showed by a second, dated before the record", () => {
  const shown = (stored: StoredRecord, observation: Observation, shownBy: number) =>
    decide(stored, [observation], { shownBy });

  it.each<[what: string, observation: Observation]>([
    ["a state that differs", customer(seen(4), bob)],
    ["a touch", touched(key, seen(4))],
  ])("is read if the record is of an answer that began before it: %s", (_what, observation) => {
    expect(shown(storedAs(customer(seen(10, 11))), observation, 10)).toEqual(reread);
    expect(shown(storedAs(customer(seen(10, 11))), observation, 9)).toEqual(keep);
    // The dates of events are in their own order.
    expect(shown(storedAs(customer(seen(10))), observation, 10)).toEqual(keep);
  });

  it("changes nothing if it is equal, or if the record is final", () => {
    expect(shown(storedAs(customer(seen(10, 11))), customer(seen(4)), 20)).toEqual(keep);
    const final = storedAs(payment(seen(10, 11), succeeded));
    expect(shown(final, payment(seen(4)), 20)).toEqual(keep);
    expect(shown(final, touched(paymentKey, seen(4)), 20)).toEqual(keep);
  });
});

describe("the invoice of a payment", () => {
  const linkedPayment = payment(seen(10), { invoiceId: "in_1" });

  it.each<Row>([
    ["is read with the payment if the payment is not stored", undefined, linked(seen(12)), reread],
    [
      "is set on a stored payment, without changing the time of observation",
      storedAs(payment(seen(10))),
      linked(seen(12)),
      writes(linkedPayment),
    ],
    [
      "is set on a payment that was observed later",
      storedAs(payment(seen(10))),
      linked(seen(1)),
      writes(linkedPayment),
    ],
    [
      "is set on a payment with a final state",
      storedAs(payment(seen(10), succeeded)),
      linked(seen(12)),
      writes(payment(seen(10), { ...succeeded, invoiceId: "in_1" })),
    ],
    ["is set once", storedAs(linkedPayment), linked(seen(12)), keep],
    ["is ignored for a deleted payment", { ...tombstone, ...paymentKey }, linked(seen(12)), keep],
    [
      "is not erased by a newer state",
      storedAs(linkedPayment),
      payment(seen(11), succeeded),
      writes(payment(seen(11), { ...succeeded, invoiceId: "in_1" })),
    ],
    ["makes no difference to a state without an invoice", storedAs(linkedPayment), payment(seen(10)), keep],
    [
      "is also taken from an older state",
      storedAs(payment(seen(10))),
      payment(seen(9), { invoiceId: "in_1", amount: 1 }),
      writes(linkedPayment),
    ],
    [
      "is taken from an equal state of the same second",
      storedAs(payment(seen(10))),
      linkedPayment,
      writes(linkedPayment),
    ],
  ])("%s", (_what, stored, observation, decision) => {
    expect(decide(stored, [observation])).toEqual(decision);
  });

  it("is set with a state that changes nothing, and with a touch that needs no read", () => {
    expect(decide(storedAs(payment(seen(10))), [linked(seen(9)), payment(seen(8), succeeded)])).toEqual(
      writes(linkedPayment),
    );
    expect(decide(storedAs(payment(seen(10))), [linked(seen(9)), touched(paymentKey, seen(9))])).toEqual(
      writes(linkedPayment),
    );
  });

  it("is stored with a first state", () => {
    expect(decide(undefined, [linked(seen(9)), payment(seen(10))])).toEqual(writes(linkedPayment));
  });
});

describe("the provider's answer", () => {
  type AnswerRow = [
    what: string,
    stored: StoredRecord | undefined,
    actual: ObjectState | ObjectDeleted,
    decision: Decision,
  ];
  it.each<AnswerRow>([
    ["is stored if nothing was stored", undefined, customer(seen(10, 12)), writes(customer(seen(10, 12)))],
    [
      "replaces a state of the same second",
      storedAs(customer(seen(10))),
      customer(seen(10), bob),
      writes(customer(seen(10), bob)),
    ],
    [
      "replaces a state with a later time",
      storedAs(customer(seen(10))),
      customer(seen(8, 9), bob),
      writes(customer(seen(10), bob)),
    ],
    [
      "replaces even a final state",
      storedAs(payment(seen(10), succeeded)),
      payment(seen(10)),
      writes(payment(seen(10))),
    ],
    [
      "that is equal updates the time of observation",
      storedAs(customer(seen(10))),
      customer(seen(12, 13)),
      observes(customer(seen(12, 13))),
    ],
    [
      "that is equal is written, even if it is not later",
      storedAs(customer(seen(10))),
      customer(seen(10)),
      observes(customer(seen(10))),
    ],
    [
      "that the object is deleted stores a tombstone",
      storedAs(customer(seen(10))),
      deleted(key, seen(12)),
      deletes(CREATED_AT, seen(12)),
    ],
    [
      "that there is no object stores a tombstone, even if nothing was stored",
      undefined,
      deleted(key, seen(12)),
      deletes(12_000, seen(12)),
    ],
    ["does not undo a deletion", tombstone, customer(seen(99)), keep],
    [
      "keeps a known invoice",
      storedAs(payment(seen(10), { invoiceId: "in_1" })),
      payment(seen(11), succeeded),
      writes(payment(seen(11), { ...succeeded, invoiceId: "in_1" })),
    ],
  ])("%s", (_what, stored, actual, decision) => {
    expect(decideAnswered(stored, observedAnswer(actual, undefined))).toEqual(decision);
  });

  it("takes the invoice of a link", () => {
    expect(decideAnswered(undefined, observedAnswer(payment(seen(10)), "in_1"))).toEqual(
      writes(payment(seen(10), { invoiceId: "in_1" })),
    );
  });

  it("loses fields that the type does not have", () => {
    const state = customer(seen(10));
    expect(decideAnswered(undefined, observedAnswer(withCard(state), undefined))).toEqual(writes(state));
  });
});
