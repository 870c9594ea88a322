/** What was observed of an object at the provider: by a list, a read, or an event. */
import type { FieldsOf, RecordType } from "./record.ts";

/**
 * When a state was the object's: at some moment from `from` to `to`, both whole epoch seconds of the provider's clock
 * and inclusive. An event's is the second of its creation; that of an answer ends with the answer's own date.
 */
export type SeenAt = { from: number; to: number };

type StateOf<Type extends RecordType> = {
  kind: "state";
  type: Type;
  id: string;
  /** Epoch ms. */
  createdAt: number;
  /** A payment's `invoiceId` is null where the provider did not say it here; a known one stays. */
  fields: FieldsOf<Type>;
  seenAt: SeenAt;
};

/** An object as it was at some moment. */
export type ObjectState = { [Type in RecordType]: StateOf<Type> }[RecordType];

/** An object that was deleted, which is for ever. `createdAt` in epoch ms, where it is known. */
export type ObjectDeleted = { kind: "deleted"; type: RecordType; id: string; createdAt?: number; seenAt: SeenAt };

/** Something happened to an object, and what it is now must be read. */
export type ObjectTouched = { kind: "touched"; type: RecordType; id: string; seenAt: SeenAt };

/** A payment belongs to an invoice; that never changes. */
export type PaymentLinked = { kind: "linked"; type: "payments"; id: string; invoiceId: string; seenAt: SeenAt };

export type Observation = ObjectState | ObjectDeleted | ObjectTouched | PaymentLinked;
