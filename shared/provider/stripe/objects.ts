/** An object of the provider → what was seen of it. Pure. */
import * as z from "zod/mini";
import type { ObjectDeleted, ObjectState, SeenAt } from "../../records/observation.ts";
import type { RecordType } from "../../records/record.ts";
import { readCustomer } from "./customers.ts";
import { readInvoice } from "./invoices.ts";
import { readPayment } from "./payments.ts";
import { readSubscription } from "./subscriptions.ts";
import { flag, Id, time } from "./tolerant.ts";

const readers = {
  customers: readCustomer,
  subscriptions: readSubscription,
  invoices: readInvoice,
  payments: readPayment,
} as const satisfies Record<RecordType, (object: unknown) => unknown>;

/** What all objects have; one without an id (an invoice that is only foreseen) is none. */
const Head = z.object({ id: Id, created: time, deleted: flag });

/** What an object says of itself; undefined where it is none. Without a time of creation it is the oldest of all. */
export const objectSeen = (
  type: RecordType,
  object: unknown,
  seenAt: SeenAt,
): ObjectState | ObjectDeleted | undefined => {
  const head = Head.safeParse(object);
  if (!head.success) return undefined;
  const { id, created, deleted } = head.data;
  if (deleted === true) return { kind: "deleted", type, id, ...(created !== null && { createdAt: created }), seenAt };
  return { kind: "state", ...readers[type](object), id, createdAt: created ?? 0, seenAt };
};

/** That an object was deleted, whatever it still says of itself; undefined where it is none. */
export const deletionSeen = (type: RecordType, object: unknown, seenAt: SeenAt): ObjectDeleted | undefined => {
  const head = Head.safeParse(object);
  if (!head.success) return undefined;
  const { id, created } = head.data;
  return { kind: "deleted", type, id, ...(created !== null && { createdAt: created }), seenAt };
};
