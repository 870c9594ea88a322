/** A customer as the provider gives it → its fields. Nothing else of it is read. Pure. */
/**
 * A subscription as the provider gives it → its fields. Nothing else of it is read. Pure.
 *
 * Its period stands in the subscription itself (before 2025-03-31) or in each of its items. Items may have periods of
 * their own; then the subscription's is what they cover together: from the earliest start to the latest end.
 * A list inside an object is cut at ten by the provider: of a subscription with more items the first ten are known.
 */
/**
 * An invoice as the provider gives it → its fields. Nothing else of it is read. Pure.
 * Its subscription stands in the invoice itself (before 2025-03-31) or under its parent; the payment only in the former.
 */
/**
 * A payment intent as the provider gives it → a payment's fields. Nothing else of it is read. Pure.
 * Its invoice stands in it only before 2025-03-31; else it comes from links (payment-links.ts).
 */
/** Which payment belongs to which invoice. Pure. */
/** An object of the provider → what was seen of it. Pure. */
import * as z from "zod/mini";
import type { ObjectDeleted, ObjectState, PaymentLinked, SeenAt } from "../../records/observation.ts";
import type { RecordType } from "../../records/record.ts";
import { flag, Id, integer, listOf, part, reference, text, time } from "./tolerant-schemas.ts";

const Customer = z.object({ name: text, email: text, currency: text, delinquent: flag });

/** @throws ZodError where it is no object at all. */
export const readCustomer = (object: unknown) => ({ type: "customers", fields: Customer.parse(object) }) as const;

const Subscription = z.object({
  status: text,
  customer: reference,
  currency: text,
  cancel_at_period_end: flag,
  canceled_at: time,
  current_period_start: time,
  current_period_end: time,
  items: listOf({
    price: part({ id: text, unit_amount: integer, recurring: part({ interval: text }) }),
    // What a price was called before there were prices; old events have nothing else.
    plan: part({ id: text, amount: integer, interval: text }),
    quantity: integer,
    current_period_start: time,
    current_period_end: time,
  }),
});

const known = (times: (number | null)[] | undefined): number[] => (times ?? []).filter((one) => one !== null);
const earliest = (times: number[]): number | null => (times.length === 0 ? null : Math.min(...times));
const latest = (times: number[]): number | null => (times.length === 0 ? null : Math.max(...times));

/** @throws ZodError where it is no object at all. */
export const readSubscription = (object: unknown) => {
  const { items, ...said } = Subscription.parse(object);
  const starts = known(items?.map((item) => item.current_period_start));
  const ends = known(items?.map((item) => item.current_period_end));
  return {
    type: "subscriptions",
    fields: {
      status: said.status,
      customerId: said.customer,
      currency: said.currency,
      items:
        items?.map(({ price, plan, quantity }) => ({
          priceId: price?.id ?? plan?.id ?? null,
          quantity,
          unitAmount: price === null ? (plan?.amount ?? null) : price.unit_amount,
          interval: price?.recurring?.interval ?? plan?.interval ?? null,
        })) ?? null,
      currentPeriodStart: said.current_period_start ?? earliest(starts),
      currentPeriodEnd: said.current_period_end ?? latest(ends),
      cancelAtPeriodEnd: said.cancel_at_period_end,
      canceledAt: said.canceled_at,
    },
  } as const;
};

const Invoice = z.object({
  number: text,
  status: text,
  customer: reference,
  subscription: reference,
  parent: part({ subscription_details: part({ subscription: reference }) }),
  currency: text,
  amount_due: integer,
  amount_paid: integer,
  due_date: time,
  status_transitions: part({ paid_at: time }),
});

/** @throws ZodError where it is no object at all. */
export const readInvoice = (object: unknown) => {
  const said = Invoice.parse(object);
  return {
    type: "invoices",
    fields: {
      number: said.number,
      status: said.status,
      customerId: said.customer,
      subscriptionId: said.subscription ?? said.parent?.subscription_details?.subscription ?? null,
      currency: said.currency,
      amountDue: said.amount_due,
      amountPaid: said.amount_paid,
      dueAt: said.due_date,
      paidAt: said.status_transitions?.paid_at ?? null,
    },
  } as const;
};

const PaymentIntent = z.object({
  status: text,
  customer: reference,
  invoice: reference,
  currency: text,
  amount: integer,
  amount_received: integer,
  last_payment_error: part({ code: text }),
});

/** @throws ZodError where it is no object at all. */
export const readPayment = (object: unknown) => {
  const said = PaymentIntent.parse(object);
  return {
    type: "payments",
    fields: {
      status: said.status,
      customerId: said.customer,
      invoiceId: said.invoice,
      currency: said.currency,
      amount: said.amount,
      amountReceived: said.amount_received,
      failureCode: said.last_payment_error?.code ?? null,
    },
  } as const;
};

const linked = (payment: string | null, invoice: string | null, seenAt: SeenAt): PaymentLinked | undefined =>
  payment === null || invoice === null
    ? undefined
    : { kind: "linked", type: "payments", id: payment, invoiceId: invoice, seenAt };

const InvoicePayment = z.object({ invoice: reference, payment: part({ payment_intent: reference }) });

/**
 * An invoice payment, whatever became of it: one that was called off, as the invoice's voiding does, belongs to the
 * invoice all the same. Undefined for one by other means than a payment.
 */
export const readInvoicePayment = (object: unknown, seenAt: SeenAt): PaymentLinked | undefined => {
  const { data } = InvoicePayment.safeParse(object);
  return data === undefined ? undefined : linked(data.payment?.payment_intent ?? null, data.invoice, seenAt);
};

const LinkedInvoice = z.object({ id: Id, payment_intent: reference });

/** The payment that an invoice names, as it did before 2025-03-31. */
export const linkOfInvoice = (object: unknown, seenAt: SeenAt): PaymentLinked | undefined => {
  const { data } = LinkedInvoice.safeParse(object);
  return data === undefined ? undefined : linked(data.payment_intent, data.id, seenAt);
};

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
