/**
 * An object of the provider → an observation with our fields. All other fields are ignored. Pure.
 *
 * Objects come in two shapes, because events keep the API version of their time; "before 2025-03-31" marks the old one.
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import type {
  ObjectDeleted,
  ObjectState,
  ObjectTouched,
  ObservedAt,
  PaymentLinked,
} from "../../records/observation.ts";
import type { RecordType } from "../../records/record.ts";
import { nameOfId, type SetAside } from "../../records/set-aside.ts";
import { flag, Id, integer, listOf, part, reference, text, time } from "./tolerant-schemas.ts";

const Customer = z.object({ name: text, email: text, currency: text, delinquent: flag });

const readCustomer = (object: unknown) => ({ type: "customers", fields: Customer.parse(object) }) as const;

const Subscription = z.object({
  status: text,
  customer: reference,
  currency: text,
  cancel_at_period_end: flag,
  canceled_at: time,
  // Before 2025-03-31; since then each item has its period.
  current_period_start: time,
  current_period_end: time,
  items: listOf({
    price: part({ id: text, unit_amount: integer, recurring: part({ interval: text }) }),
    // The old name of prices; old events have only plans.
    plan: part({ id: text, amount: integer, interval: text }),
    quantity: integer,
    current_period_start: time,
    current_period_end: time,
  }),
});

const present = (times: (number | null)[] | undefined): number[] => (times ?? []).filter((one) => one !== null);
const earliest = (times: number[]): number | null => (times.length === 0 ? null : Math.min(...times));
const latest = (times: number[]): number | null => (times.length === 0 ? null : Math.max(...times));

/**
 * The period is that of the subscription, or from the earliest start to the latest end of its items.
 * The provider cuts lists inside an object at ten: of more items, only the first ten are read.
 */
const readSubscription = (object: unknown) => {
  const { items, ...subscription } = Subscription.parse(object);
  const starts = present(items?.map((item) => item.current_period_start));
  const ends = present(items?.map((item) => item.current_period_end));
  return {
    type: "subscriptions",
    fields: {
      status: subscription.status,
      customerId: subscription.customer,
      currency: subscription.currency,
      items:
        items?.map(({ price, plan, quantity }) => ({
          priceId: price?.id ?? plan?.id ?? null,
          quantity,
          unitAmount: price === null ? (plan?.amount ?? null) : price.unit_amount,
          interval: price?.recurring?.interval ?? plan?.interval ?? null,
        })) ?? null,
      currentPeriodStart: subscription.current_period_start ?? earliest(starts),
      currentPeriodEnd: subscription.current_period_end ?? latest(ends),
      cancelAtPeriodEnd: subscription.cancel_at_period_end,
      canceledAt: subscription.canceled_at,
    },
  } as const;
};

const Invoice = z.object({
  number: text,
  status: text,
  customer: reference,
  // Before 2025-03-31; since then under `parent`.
  subscription: reference,
  parent: part({ subscription_details: part({ subscription: reference }) }),
  currency: text,
  amount_due: integer,
  amount_paid: integer,
  due_date: time,
  status_transitions: part({ paid_at: time }),
});

const readInvoice = (object: unknown) => {
  const invoice = Invoice.parse(object);
  return {
    type: "invoices",
    fields: {
      number: invoice.number,
      status: invoice.status,
      customerId: invoice.customer,
      subscriptionId: invoice.subscription ?? invoice.parent?.subscription_details?.subscription ?? null,
      currency: invoice.currency,
      amountDue: invoice.amount_due,
      amountPaid: invoice.amount_paid,
      dueAt: invoice.due_date,
      paidAt: invoice.status_transitions?.paid_at ?? null,
    },
  } as const;
};

const PaymentIntent = z.object({
  status: text,
  customer: reference,
  // Before 2025-03-31; since then invoice payments link the two.
  invoice: reference,
  currency: text,
  amount: integer,
  amount_received: integer,
  last_payment_error: part({ code: text }),
});

const readPayment = (object: unknown) => {
  const payment = PaymentIntent.parse(object);
  return {
    type: "payments",
    fields: {
      status: payment.status,
      customerId: payment.customer,
      invoiceId: payment.invoice,
      currency: payment.currency,
      amount: payment.amount,
      amountReceived: payment.amount_received,
      failureCode: payment.last_payment_error?.code ?? null,
    },
  } as const;
};

const Refund = z.object({
  amount: integer,
  currency: text,
  status: text,
  reason: text,
  payment_intent: reference,
  failure_reason: text,
});

const readRefund = (object: unknown) => {
  const { payment_intent: paymentId, failure_reason: failureReason, ...fields } = Refund.parse(object);
  return { type: "refunds", fields: { ...fields, paymentId, failureReason } } as const;
};

const Dispute = z.object({
  amount: integer,
  currency: text,
  status: text,
  reason: text,
  payment_intent: reference,
  evidence_details: part({ due_by: time }),
});

const readDispute = (object: unknown) => {
  const { payment_intent: paymentId, evidence_details: evidence, ...fields } = Dispute.parse(object);
  return { type: "disputes", fields: { ...fields, paymentId, evidenceDueAt: evidence?.due_by ?? null } } as const;
};

const Payout = z.object({
  amount: integer,
  currency: text,
  status: text,
  method: text,
  arrival_date: time,
  failure_code: text,
  automatic: flag,
});

/** Without the destination, which is a bank account. */
const readPayout = (object: unknown) => {
  const { arrival_date: arrivesAt, failure_code: failureCode, ...fields } = Payout.parse(object);
  return { type: "payouts", fields: { ...fields, arrivesAt, failureCode } } as const;
};

/**
 * How each type looks at the provider: its name in the field `object`, its list with the parameters that it needs, the name
 * of the permission to read it, and the reader of its fields.
 */
export const providerTypes = {
  customers: { name: "customer", path: "/v1/customers", permission: "rak_customer_read", read: readCustomer },
  subscriptions: {
    name: "subscription",
    path: "/v1/subscriptions",
    // Without it, cancelled subscriptions are left out.
    parameters: { status: "all" },
    permission: "rak_subscription_read",
    read: readSubscription,
  },
  invoices: { name: "invoice", path: "/v1/invoices", permission: "rak_invoice_read", read: readInvoice },
  payments: {
    name: "payment_intent",
    path: "/v1/payment_intents",
    permission: "rak_payment_intent_read",
    read: readPayment,
  },
  // The permission for charges covers refunds.
  refunds: { name: "refund", path: "/v1/refunds", permission: "rak_charge_read", read: readRefund },
  disputes: { name: "dispute", path: "/v1/disputes", permission: "rak_dispute_read", read: readDispute },
  payouts: { name: "payout", path: "/v1/payouts", permission: "rak_payout_read", read: readPayout },
} as const satisfies Record<
  RecordType,
  {
    name: string;
    path: string;
    parameters?: Readonly<Record<string, string>>;
    permission: string;
    read: (object: unknown) => unknown;
  }
>;

const AnyId = z.object({ id: z.unknown() });

/** An object that is set aside, whatever it is. */
export const setAsideObject = (type: RecordType, object: unknown, reason: SetAside["reason"]): SetAside => {
  const raw = AnyId.safeParse(object).data?.id;
  const id = Id.safeParse(raw).data;
  return { kind: "set_aside", type, ...definedFields({ id }), name: nameOfId(raw), reason };
};

/** The fields of all objects. */
const Head = z.object({ id: Id, created: time, deleted: flag, object: text });

/** The fields of a record of this type, or why the object is no record. */
const readHead = (type: RecordType, object: unknown): z.output<typeof Head> | SetAside => {
  const { data: head } = Head.safeParse(object);
  if (head === undefined) return setAsideObject(type, object, "id");
  const isOther = head.object !== null && head.object !== providerTypes[type].name;
  return isOther ? setAsideObject(type, object, "type") : head;
};

/** The deletion of an object, whatever its fields. */
export const parseDeletion = (type: RecordType, object: unknown, observedAt: ObservedAt): ObjectDeleted | SetAside => {
  const head = readHead(type, object);
  if ("kind" in head) return head;
  const { id, created } = head;
  return { kind: "deleted", type, id, ...definedFields({ createdAt: created ?? undefined }), observedAt };
};

/** The state of an object. Without a time of creation, the object counts as the oldest. */
export const parseObject = (
  type: RecordType,
  object: unknown,
  observedAt: ObservedAt,
): ObjectState | ObjectDeleted | SetAside => {
  const head = readHead(type, object);
  if ("kind" in head) return head;
  if (head.deleted === true) return parseDeletion(type, object, observedAt);
  return { kind: "state", ...providerTypes[type].read(object), id: head.id, createdAt: head.created ?? 0, observedAt };
};

const Payee = z.object({ payment_intent: z.unknown() });

/** Charges, refunds and disputes change the payment that they belong to. Without a payment they are ignored. */
export const parsePaymentTouch = (object: unknown, observedAt: ObservedAt): ObjectTouched | SetAside | undefined => {
  const payment = Payee.safeParse(object).data?.payment_intent ?? null;
  if (payment === null) return undefined;
  const id = reference.parse(payment);
  if (id !== null) return { kind: "touched", type: "payments", id, observedAt };
  return setAsideObject("payments", typeof payment === "object" ? payment : { id: payment }, "id");
};

const linked = (payment: string | null, invoice: string | null, observedAt: ObservedAt): PaymentLinked | undefined =>
  payment === null || invoice === null
    ? undefined
    : { kind: "linked", type: "payments", id: payment, invoiceId: invoice, observedAt };

const InvoicePayment = z.object({ invoice: reference, payment: part({ payment_intent: reference }) });

/**
 * The link of an invoice payment, whatever its status: a cancelled one still belongs to its invoice. Undefined if the
 * invoice was not paid by a payment.
 */
export const parseInvoicePayment = (object: unknown, observedAt: ObservedAt): PaymentLinked | undefined => {
  const { data } = InvoicePayment.safeParse(object);
  return data && linked(data.payment?.payment_intent ?? null, data.invoice, observedAt);
};

const OldInvoice = z.object({ id: Id, payment_intent: reference });

/** The link that an invoice contains itself, before 2025-03-31. */
export const parseInvoiceLink = (object: unknown, observedAt: ObservedAt): PaymentLinked | undefined => {
  const { data } = OldInvoice.safeParse(object);
  return data && linked(data.payment_intent, data.id, observedAt);
};
