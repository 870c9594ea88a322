/** Several observations of one object in one. Pure. */

import { compareSeen, laterSeen } from "./compare-seen.ts";
import { allowedFields, areEqual, invoiceOf, isFinal, withInvoice } from "./fields.ts";
import type { ObjectDeleted, ObjectState, ObjectTouched, Observation } from "./observation.ts";
import type { RecordType } from "./record.ts";

/** What a batch of observations says of one object. */
export type Sighting = {
  type: RecordType;
  id: string;
  /** What counts of it: a deletion, the newest state, that it must be read, or nothing but the link. */
  observation: Observation;
  /** The invoice that a payment belongs to. It never changes, so that older observations say it, too. */
  invoiceId: string | undefined;
};

/** States of which none is known to be older than another. */
const newestOf = (states: readonly ObjectState[]): ObjectState[] =>
  states.filter(({ seenAt }) => !states.some((other) => compareSeen(other.seenAt, seenAt) === "newer"));

const isFinalState = ({ type, fields }: ObjectState) => isFinal(type, fields);

/** The state that unordered ones come to; undefined where that must be read. */
const settle = (states: readonly ObjectState[]): ObjectState | undefined => {
  const finals = states.filter(isFinalState);
  const [first, ...others] = finals.length > 0 ? finals : states;
  return first !== undefined && others.every(({ fields }) => areEqual(fields, first.fields)) ? first : undefined;
};

const latest = (observations: readonly Observation[], first: Observation) =>
  observations.reduce((seenAt, other) => laterSeen(seenAt, other.seenAt), first.seenAt);

/** Only what is newest of the states and touches counts: a state that is known to be the last, or that it must be read. */
const newestObservation = (
  states: readonly ObjectState[],
  touches: readonly ObjectTouched[],
): ObjectState | ObjectTouched | undefined => {
  const newest = newestOf(states);
  const settled = settle(newest);
  const open = touches.filter((touch) => !states.some(({ seenAt }) => compareSeen(seenAt, touch.seenAt) === "newer"));
  if (settled !== undefined && (open.length === 0 || isFinalState(settled))) {
    return { ...settled, seenAt: latest(newest, settled) };
  }
  const [first, ...others] = [...newest, ...open];
  if (first === undefined) return undefined;
  return { kind: "touched", type: first.type, id: first.id, seenAt: latest(others, first) };
};

/** A state with no field that the type does not have, and the invoice that is known. */
const clean = (state: ObjectState, invoiceId: string | undefined): ObjectState =>
  ({ ...state, fields: withInvoice(allowedFields(state.type, state.fields), invoiceId) }) as ObjectState;

/** What an answer of the provider says of an object whose invoice may be known already. */
export const sightingOf = (answer: ObjectState | ObjectDeleted, invoiceId: string | undefined): Sighting => ({
  type: answer.type,
  id: answer.id,
  observation: answer.kind === "state" ? clean(answer, invoiceId) : answer,
  invoiceId: invoiceId ?? (answer.kind === "state" ? invoiceOf(answer.fields) : undefined),
});

const coalesceOne = (first: Observation, observations: readonly Observation[]): Sighting => {
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

/** One sighting for each object that the observations are of. */
export const coalesce = (observations: readonly Observation[]): Sighting[] => {
  const byObject = Map.groupBy(observations, ({ type, id }) => `${type}#${id}`);
  return [...byObject.values()].flatMap((some) => some.slice(0, 1).map((first) => coalesceOne(first, some)));
};
