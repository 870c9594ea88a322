import { describe, expect, it } from "@jest/globals";
import type { Observation } from "../../../shared/records/observation.ts";
import { coalesce, invoiceOf, observedAnswer } from "../../../shared/records/observation.ts";
import { customer, deleted, linked, payment, seen, touched, withCard } from "../../support/records.ts";

const one = (...observations: Observation[]) => {
  const sightings = coalesce(observations);
  expect(sightings).toHaveLength(1);
  return sightings[0];
};
const key = { type: "customers", id: "cus_1" } as const;
const paymentKey = { type: "payments", id: "pi_1" } as const;
const bob = { name: "Bob" };

describe("merging observations", () => {
  it.each<[string, Observation[], Observation]>([
    ["a single state is unchanged", [customer(seen(10))], customer(seen(10))],
    [
      "the newest state wins",
      [customer(seen(10)), customer(seen(12), bob), customer(seen(11))],
      customer(seen(12), bob),
    ],
    ["equal states of a second are merged", [customer(seen(10)), customer(seen(10))], customer(seen(10))],
    [
      "overlapping equal states are merged, with the later time",
      [customer(seen(10, 14)), customer(seen(12))],
      customer(seen(12, 14)),
    ],
    [
      "differing states of a second must be read",
      [customer(seen(10)), customer(seen(10), bob)],
      touched(key, seen(10)),
    ],
    [
      "states that differ in an older second do not matter",
      [customer(seen(10)), customer(seen(10), bob), customer(seen(11))],
      customer(seen(11)),
    ],
    [
      "a final state wins over other states of its second",
      [payment(seen(10), { status: "succeeded" }), payment(seen(10))],
      payment(seen(10), { status: "succeeded" }),
    ],
    [
      "two final states that differ must be read",
      [payment(seen(10), { status: "succeeded" }), payment(seen(10), { status: "canceled" })],
      touched(paymentKey, seen(10)),
    ],
    ["a touch before a state needs no read", [touched(key, seen(9)), customer(seen(10))], customer(seen(10))],
    [
      "a touch in the second of a state needs a read",
      [customer(seen(10)), touched(key, seen(10))],
      touched(key, seen(10)),
    ],
    ["a touch after a state needs a read", [customer(seen(10)), touched(key, seen(12))], touched(key, seen(12))],
    [
      "a touch changes no final state",
      [payment(seen(10), { status: "canceled" }), touched(paymentKey, seen(12))],
      payment(seen(10), { status: "canceled" }),
    ],
    [
      "touches are merged",
      [touched(key, seen(10)), touched(key, seen(14)), touched(key, seen(12))],
      touched(key, seen(14)),
    ],
    ["a deletion wins, whatever its time", [customer(seen(12)), deleted(key, seen(10))], deleted(key, seen(10))],
    ["a deletion with more fields wins", [deleted(key, seen(10)), deleted(key, seen(9), 7)], deleted(key, seen(9), 7)],
    ["links are merged", [linked(seen(10)), linked(seen(11))], linked(seen(10))],
  ])("%s", (_what, observations, expected) => {
    expect(one(...observations)?.observation).toEqual(expected);
    expect(one(...observations.toReversed())?.observation).toMatchObject({ kind: expected.kind });
  });

  it.each<[string, Observation[], Observation["kind"]]>([
    ["of a link", [linked(seen(10)), payment(seen(12))], "state"],
    ["of an older state", [payment(seen(9), { invoiceId: "in_1" }), payment(seen(12))], "state"],
    ["of a link beside a touch", [touched(paymentKey, seen(12)), linked(seen(10))], "touched"],
  ])("keeps the invoice: %s", (_what, observations, kind) => {
    const merged = one(...observations);
    expect(merged).toMatchObject({ invoiceId: "in_1", observation: { kind } });
    if (kind === "state") expect(merged?.observation).toEqual(payment(seen(12), { invoiceId: "in_1" }));
  });

  it("merges states of one second that differ only in an invoice", () => {
    expect(one(payment(seen(10)), payment(seen(10), { invoiceId: "in_1" }))?.observation).toEqual(
      payment(seen(10), { invoiceId: "in_1" }),
    );
  });

  it("removes fields that the type does not have", () => {
    const state = customer(seen(10));
    expect(one(withCard(state))?.observation).toEqual(state);
  });
});

it("takes the invoice from the provider's answer if no observation has named it", () => {
  const answer = payment(seen(10), { invoiceId: "in_1" });
  expect(observedAnswer(answer, undefined)).toMatchObject({ observation: answer, invoiceId: "in_1" });
  expect(observedAnswer(answer, "in_2").invoiceId).toBe("in_2");
  expect(invoiceOf(undefined)).toBeUndefined();
});

it("keeps different objects separate, whatever their ids contain", () => {
  const ids = ["a", "a#b", "#", "", "customers#a"];
  const sightings = coalesce([
    ...ids.map((id) => customer(seen(1), {}, id)),
    ...ids.map((id) => payment(seen(1), {}, id)),
  ]);
  expect(sightings.map(({ type, id }) => [type, id])).toEqual([
    ...ids.map((id) => ["customers", id]),
    ...ids.map((id) => ["payments", id]),
  ]);
  expect(coalesce([])).toEqual([]);
});
