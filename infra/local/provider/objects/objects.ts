/**
 * The provider's objects as the simulator stores them: only fields that cannot be derived.
 * render/ makes wire objects of them. Times in epoch seconds, amounts in the minor unit.
 */
import * as z from "zod";

/** The only API version that the simulator supports, also for events: the version of the service's pinned SDK. */
export const API_VERSION = "2026-10-28.endive";

/** The types of fields in schemas of objects. Times in epoch seconds, amounts in the currency's minor unit. */
const text = z.string();
const seconds = z.int().min(0);
const amount = z.int().min(0);
/** The attributes of every object. A deleted object is kept, because a stub of a deleted customer can be read. */
const base = { id: text, created: seconds, deleted: z.boolean() };
/** What clients attach to an object. Objects of earlier versions lack them. */
const attached = { description: text.nullable().default(null), metadata: z.record(text, text).default({}) };
/** The days that a payer has after an invoice was sent. */
const daysUntilDue = z.int().default(30);

const Customer = z.strictObject({
  object: z.literal("customer"),
  ...base,
  name: text.nullable(),
  email: text.nullable(),
  phone: text.nullable(),
  currency: text,
  delinquent: z.boolean(),
  balance: z.int(),
  ...attached,
});

const SubscriptionItem = z.strictObject({
  id: text,
  price: text,
  product: text,
  unitAmount: amount,
  interval: z.enum(["month", "year"]),
  quantity: z.int().min(0),
});

const Subscription = z.strictObject({
  object: z.literal("subscription"),
  ...base,
  customer: text,
  status: z.enum([
    "incomplete",
    "incomplete_expired",
    "trialing",
    "active",
    "past_due",
    "canceled",
    "unpaid",
    "paused",
  ]),
  currency: text,
  items: z.array(SubscriptionItem),
  collectionMethod: z.enum(["charge_automatically", "send_invoice"]),
  daysUntilDue,
  ...attached,
  periodStart: seconds,
  periodEnd: seconds,
  trialStart: seconds.nullable(),
  trialEnd: seconds.nullable(),
  cancelAtPeriodEnd: z.boolean(),
  canceledAt: seconds.nullable(),
  endedAt: seconds.nullable(),
  latestInvoice: text.nullable(),
});

const InvoiceLine = z.strictObject({
  id: text,
  description: text,
  amount,
  price: text.nullable(),
  product: text.nullable(),
  quantity: z.int(),
  subscriptionItem: text.nullable(),
  invoiceItem: text.nullable().default(null),
});

const Invoice = z.strictObject({
  object: z.literal("invoice"),
  ...base,
  customer: text,
  customerName: text.nullable(),
  customerEmail: text.nullable(),
  subscription: text.nullable(),
  status: z.enum(["draft", "open", "paid", "void", "uncollectible"]),
  number: text.nullable(),
  currency: text,
  collectionMethod: z.enum(["charge_automatically", "send_invoice"]),
  daysUntilDue,
  ...attached,
  billingReason: z.enum(["manual", "subscription_create", "subscription_cycle"]),
  lines: z.array(InvoiceLine),
  amountPaid: amount,
  attemptCount: z.int(),
  dueDate: seconds.nullable(),
  nextAttempt: seconds.nullable(),
  periodStart: seconds,
  periodEnd: seconds,
  finalizedAt: seconds.nullable(),
  paidAt: seconds.nullable(),
  voidedAt: seconds.nullable(),
  uncollectibleAt: seconds.nullable(),
  paymentIntent: text.nullable(),
  charge: text.nullable(),
});

const PaymentIntent = z.strictObject({
  object: z.literal("payment_intent"),
  ...base,
  customer: text.nullable(),
  invoice: text.nullable(),
  amount,
  amountReceived: amount,
  currency: text,
  status: z.enum([
    "requires_payment_method",
    "requires_confirmation",
    "requires_action",
    "processing",
    "requires_capture",
    "canceled",
    "succeeded",
  ]),
  ...attached,
  latestCharge: text.nullable(),
  failureCode: text.nullable(),
  canceledAt: seconds.nullable(),
  cancellationReason: text.nullable(),
});

const Charge = z.strictObject({
  object: z.literal("charge"),
  ...base,
  customer: text.nullable(),
  paymentIntent: text.nullable(),
  invoice: text.nullable(),
  amount,
  amountRefunded: amount,
  currency: text,
  status: z.enum(["succeeded", "pending", "failed"]),
  description: text.nullable(),
  failureCode: text.nullable(),
  disputed: z.boolean(),
});

const Refund = z.strictObject({
  object: z.literal("refund"),
  ...base,
  charge: text,
  paymentIntent: text.nullable(),
  amount,
  currency: text,
  status: z.enum(["pending", "succeeded", "failed", "canceled"]),
  reason: text.nullable(),
  failureReason: text.nullable().default(null),
});

const Dispute = z.strictObject({
  object: z.literal("dispute"),
  ...base,
  charge: text,
  paymentIntent: text.nullable(),
  amount,
  currency: text,
  status: z.enum(["needs_response", "under_review", "won", "lost"]),
  reason: text,
});

const Payout = z.strictObject({
  object: z.literal("payout"),
  ...base,
  amount,
  currency: text,
  status: z.enum(["pending", "in_transit", "paid", "failed", "canceled"]),
  method: z.enum(["standard", "instant"]),
  arrivalDate: seconds,
  failureCode: text.nullable(),
  automatic: z.boolean(),
});

const InvoicePayment = z.strictObject({
  object: z.literal("invoice_payment"),
  ...base,
  invoice: text,
  paymentIntent: text,
  amountRequested: amount,
  amountPaid: amount.nullable(),
  currency: text,
  status: z.enum(["open", "paid", "canceled"]),
  paidAt: seconds.nullable(),
});

/** The schema of each kind of object, by the provider's name for it. */
export const objectSchemas = {
  customer: Customer,
  subscription: Subscription,
  invoice: Invoice,
  payment_intent: PaymentIntent,
  charge: Charge,
  refund: Refund,
  dispute: Dispute,
  payout: Payout,
  invoice_payment: InvoicePayment,
} as const;

export type ObjectType = keyof typeof objectSchemas;
export type ObjectOf<Type extends ObjectType> = z.output<(typeof objectSchemas)[Type]>;
export type StoredObject = { [Type in ObjectType]: ObjectOf<Type> }[ObjectType];

export const StoredObject: z.ZodType<StoredObject> = z.discriminatedUnion("object", [
  Customer,
  Subscription,
  Invoice,
  PaymentIntent,
  Charge,
  Refund,
  Dispute,
  Payout,
  InvoicePayment,
]);

export const isA = <Type extends ObjectType>(
  object: StoredObject,
  type: Type,
): object is ObjectOf<Type> & StoredObject => object.object === type;

/** The total of an invoice. */
export const totalOf = ({ lines }: ObjectOf<"invoice">): number => lines.reduce((sum, line) => sum + line.amount, 0);
