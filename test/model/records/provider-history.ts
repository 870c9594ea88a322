/** A provider whose objects change by a script, several times per second, with events for the changes. */

import type { ObjectDeleted, ObjectState, Observation, ObservedAt } from "../../../shared/records/observation.ts";
import type { RecordFields, RecordType } from "../../../shared/records/record.ts";
import type { RecordKey } from "../../../shared/records/record-item.ts";
import { fc } from "../../support/fixed-seed.ts";
import { customer, invoice, linked, payment, seen, subscription, touched } from "../../support/records.ts";

/** A change of an object, and the delivery of its event. */
export type Step = {
  object: number;
  /** The event of a change has the new state; the event of a touch only names the object. */
  what: "change" | "touch" | "finish" | "delete" | "link";
  /** Few values, so that objects often return to an earlier state. */
  value: number;
  /** Thirds of a second that pass before the step. */
  thirds: number;
  /** Number of deliveries. The last change of an object is delivered at least once. */
  copies: number;
};

const step = (objects: readonly number[]): fc.Arbitrary<Step> =>
  fc.record({
    object: fc.constantFrom(...objects),
    what: fc.oneof(
      { weight: 6, arbitrary: fc.constant("change" as const) },
      { weight: 3, arbitrary: fc.constant("touch" as const) },
      { weight: 1, arbitrary: fc.constantFrom("finish" as const, "delete" as const, "link" as const) },
    ),
    value: fc.integer({ min: 0, max: 2 }),
    thirds: fc.constantFrom(0, 0, 0, 1, 2, 5),
    copies: fc.constantFrom(0, 0, 1, 1, 2),
  });

/** Changes of one object within a second, in which it returns to earlier states. */
export const burst: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    object: fc.constant(0),
    what: fc.constantFrom("change" as const, "change" as const, "touch" as const),
    value: fc.integer({ min: 0, max: 1 }),
    thirds: fc.constant(0),
    copies: fc.integer({ min: 0, max: 1 }),
  }),
  { minLength: 3, maxLength: 8, size: "max" },
);

/** Changes of one to three objects. */
export const steps: fc.Arbitrary<Step[]> = fc
  .subarray([0, 1, 2, 3, 4], { minLength: 1, maxLength: 3 })
  .chain((objects) => fc.array(step(objects), { minLength: 1, maxLength: 30, size: "max" }));

const LINK = "in_1";

type Make = (observedAt: ObservedAt, value: number, isFinished: boolean, invoiceId: string | null) => ObjectState;

/** The objects of a script. */
const kinds: readonly Make[] = [
  (at, value) => customer(at, { name: `name ${value}` }),
  (at, amount, isFinished, invoiceId) => payment(at, { amount, invoiceId, ...(isFinished && { status: "succeeded" }) }),
  (at, amountPaid, isFinished) => invoice(at, { amountPaid, ...(isFinished && { status: "void" }) }),
  (at, value, isFinished) =>
    subscription(at, { cancelAtPeriodEnd: value > 0, ...(isFinished && { status: "canceled" }) }),
  (at, amount, isFinished, invoiceId) =>
    payment(at, { amount, invoiceId, ...(isFinished && { status: "canceled" }) }, "pi_2"),
];

type ProviderObject = { make: Make; value: number; isFinished: boolean; isLinked: boolean; isDeleted: boolean };

export type Event = { observations: Observation[]; copies: number };

/** The expected record at the end; without fields if the object was deleted. */
export type Expected = { key: RecordKey; fields: RecordFields | undefined };

export const createProviderWorld = () => {
  const objects = new Map<string, ProviderObject>();
  const lastChanges = new Map<string, Event>();
  let thirds = 3 * 1_795_300_000;

  const now = () => Math.floor(thirds / 3);
  const keyOf = (make: Make) => {
    const { type, id } = make(seen(0), 0, false, null);
    return { type, id, name: `${type} ${id}` };
  };
  /** Some answers have the invoice of a payment, others lack the field. */
  const stateOf = ({ make, value, isFinished, isLinked }: ProviderObject, at: ObservedAt, saysLink: boolean) =>
    make(at, value, isFinished, isLinked && saysLink ? LINK : null);

  const change = (object: ProviderObject, { what, value }: Step) => {
    object.value = value;
    object.isFinished ||= what === "finish" && keyOf(object.make).type !== "customers";
    object.isDeleted = what === "delete";
  };

  const observe = (object: ProviderObject, { what, value }: Step): Observation => {
    const key = keyOf(object.make);
    if (object.isDeleted) return { kind: "deleted", type: key.type, id: key.id, observedAt: seen(now()) };
    return what === "touch" ? touched(key, seen(now())) : stateOf(object, seen(now()), value === 0);
  };

  return {
    now,

    /** Executes a step. @returns its event; undefined if the step was impossible */
    take(next: Step): Event | undefined {
      thirds += next.thirds;
      const make = kinds[next.object];
      if (make === undefined) return undefined;
      const { name, type, id } = keyOf(make);
      let object = objects.get(name);
      if (object?.isDeleted) return undefined;
      if (next.what === "link" && object !== undefined) {
        if (object.isLinked || type !== "payments") return undefined;
        object.isLinked = true;
        return { observations: [linked(seen(now()), LINK, id)], copies: Math.max(1, next.copies) };
      }
      if (object?.isFinished && next.what !== "delete") return undefined;
      object ??= { make, value: 0, isFinished: false, isLinked: false, isDeleted: false };
      objects.set(name, object);
      change(object, next);
      const event = { observations: [observe(object, next)], copies: next.copies };
      lastChanges.set(name, event);
      return event;
    },

    /** The current object, as an answer to a request sent at `from`. */
    read({ type, id }: RecordKey, from: number): ObjectState | ObjectDeleted {
      const object = objects.get(`${type} ${id}`);
      const at = seen(from, now());
      if (object === undefined || object.isDeleted) return { kind: "deleted", type, id, observedAt: at };
      return stateOf(object, at, false);
    },

    /** All existing objects of a type. */
    list(type: RecordType, from: number): ObjectState[] {
      return [...objects.values()]
        .filter(({ make, isDeleted }) => !isDeleted && keyOf(make).type === type)
        .map((object) => stateOf(object, seen(from, now()), false));
    },

    /** The last changes whose events were not delivered. */
    untold: (): Event[] => [...lastChanges.values()].filter(({ copies }) => copies === 0),

    expected: (): Expected[] =>
      [...objects.values()].map((object) => ({
        key: keyOf(object.make),
        fields: object.isDeleted ? undefined : stateOf(object, seen(now()), true).fields,
      })),
  };
};
