/**
 * Observations: states of the provider's objects at some time, from its lists, reads and events. Orders two
 * observations and combines several observations of one object. Pure. docs/sync.md, "Applying observations".
 */
import { isDeepStrictEqual } from "node:util";
import { type FieldsOf, finalStatusesOf, type RecordFields, type RecordType, recordFields } from "./record.ts";

/**
 * When an object had a state: at some moment from `from` to `to`, both whole epoch seconds of the provider's clock and
 * inclusive. For an event both are the second of its creation; for an answer, `to` is the answer's own date.
 */
export type ObservedAt = { from: number; to: number };

type StateOf<Type extends RecordType> = {
  kind: "state";
  type: Type;
  id: string;
  /** Epoch ms. */
  createdAt: number;
  /** A payment's `invoiceId` is null if the provider did not include it here; the record keeps the one it has. */
  fields: FieldsOf<Type>;
  observedAt: ObservedAt;
};

/** The state of an object. */
export type ObjectState = { [Type in RecordType]: StateOf<Type> }[RecordType];

/** The object was deleted, which is final. `createdAt` in epoch ms, if it is known. */
export type ObjectDeleted = {
  kind: "deleted";
  type: RecordType;
  id: string;
  createdAt?: number;
  observedAt: ObservedAt;
};

/** The object changed, and its state must be read. */
export type ObjectTouched = { kind: "touched"; type: RecordType; id: string; observedAt: ObservedAt };

/** A payment belongs to an invoice, which never changes. */
export type PaymentLinked = {
  kind: "linked";
  type: "payments";
  id: string;
  invoiceId: string;
  observedAt: ObservedAt;
};

export type Observation = ObjectState | ObjectDeleted | ObjectTouched | PaymentLinked;

/** `unordered` if the times overlap: times are whole seconds, and an object may change more than once in a second. */
export type ObservationOrder = "newer" | "older" | "unordered";

/** Compares the first time with the second. */
export const compareObserved = (first: ObservedAt, second: ObservedAt): ObservationOrder => {
  if (first.from > second.to) return "newer";
  return first.to < second.from ? "older" : "unordered";
};

/** The later of two times. */
export const laterObserved = (first: ObservedAt, second: ObservedAt): ObservedAt => ({
  from: Math.max(first.from, second.from),
  to: Math.max(first.to, second.to),
});

export const isFinal = (type: RecordType, fields: RecordFields): boolean =>
  "status" in fields && fields.status !== null && finalStatusesOf(type).includes(fields.status);

export const areEqual = (first: RecordFields, second: RecordFields): boolean => isDeepStrictEqual(first, second);

/** The invoice that a payment belongs to; undefined if it is not known, and for other types. */
export const invoiceOf = (fields: RecordFields | undefined): string | undefined =>
  fields !== undefined && "invoiceId" in fields ? (fields.invoiceId ?? undefined) : undefined;

/** A payment's fields with its invoice added, if they lack it; fields of other types unchanged. */
export const withInvoice = (fields: RecordFields, invoiceId: string | undefined): RecordFields =>
  invoiceId !== undefined && "invoiceId" in fields && fields.invoiceId === null ? { ...fields, invoiceId } : fields;

/** The result of all observations of one object in a batch. */
export type ObservedObject = {
  type: RecordType;
  id: string;
  /** The result: a deletion, the newest state, a touch if the object must be read, or otherwise the link. */
  observation: Observation;
  /** The invoice that a payment belongs to. It never changes, so older observations count as well. */
  invoiceId: string | undefined;
};

/** The states without a newer state. */
const newestOf = (states: readonly ObjectState[]): ObjectState[] =>
  states.filter(({ observedAt }) => !states.some((other) => compareObserved(other.observedAt, observedAt) === "newer"));

const isFinalState = ({ type, fields }: ObjectState) => isFinal(type, fields);

/** The state that unordered states agree on; undefined if the object must be read. */
const agreedState = (states: readonly ObjectState[]): ObjectState | undefined => {
  const finals = states.filter(isFinalState);
  const [first, ...others] = finals.length > 0 ? finals : states;
  return first !== undefined && others.every(({ fields }) => areEqual(fields, first.fields)) ? first : undefined;
};

const latest = (observations: readonly Observation[], first: Observation) =>
  observations.reduce((observedAt, other) => laterObserved(observedAt, other.observedAt), first.observedAt);

/** The newest state if there is exactly one and no touch may be newer; else a touch, because the object must be read. */
const newestObservation = (
  states: readonly ObjectState[],
  touches: readonly ObjectTouched[],
): ObjectState | ObjectTouched | undefined => {
  const newest = newestOf(states);
  const agreed = agreedState(newest);
  const openTouches = touches.filter(
    (touch) => !states.some(({ observedAt }) => compareObserved(observedAt, touch.observedAt) === "newer"),
  );
  if (agreed !== undefined && (openTouches.length === 0 || isFinalState(agreed))) {
    return { ...agreed, observedAt: latest(newest, agreed) };
  }
  const [first, ...others] = [...newest, ...openTouches];
  if (first === undefined) return undefined;
  return { kind: "touched", type: first.type, id: first.id, observedAt: latest(others, first) };
};

/** A state with only the fields that its type has, and with the invoice if that is known. */
const clean = (state: ObjectState, invoiceId: string | undefined): ObjectState =>
  ({ ...state, fields: withInvoice(recordFields[state.type].parse(state.fields), invoiceId) }) as ObjectState;

/** The provider's answer for an object whose invoice may be known already. */
export const observedAnswer = (answer: ObjectState | ObjectDeleted, invoiceId: string | undefined): ObservedObject => ({
  type: answer.type,
  id: answer.id,
  observation: answer.kind === "state" ? clean(answer, invoiceId) : answer,
  invoiceId: invoiceId ?? (answer.kind === "state" ? invoiceOf(answer.fields) : undefined),
});

const coalesceOne = (first: Observation, observations: readonly Observation[]): ObservedObject => {
  const invoices = observations.map((one) => {
    if (one.kind === "linked") return one.invoiceId;
    return one.kind === "state" ? invoiceOf(one.fields) : undefined;
  });
  const invoiceId = invoices.find((invoice) => invoice !== undefined);
  const deletions = observations.filter((one) => one.kind === "deleted");
  const states = observations.filter((one) => one.kind === "state").map((state) => clean(state, invoiceId));
  const touches = observations.filter((one) => one.kind === "touched");
  const deletion = deletions.find(({ createdAt }) => createdAt !== undefined) ?? deletions[0];
  const observation = deletion ?? newestObservation(states, touches) ?? first;
  return { type: first.type, id: first.id, observation, invoiceId };
};

/** One result for each observed object. */
export const coalesce = (observations: readonly Observation[]): ObservedObject[] => {
  const byObject = Map.groupBy(observations, ({ type, id }) => `${type}#${id}`);
  return [...byObject.values()].flatMap((some) => some.slice(0, 1).map((first) => coalesceOne(first, some)));
};
