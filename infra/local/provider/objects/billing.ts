import * as z from "zod";
import { amount, base, seconds, text } from "./attributes.ts";

export const Customer = z.strictObject({
  object: z.literal("customer"),
  ...base,
  name: text.nullable(),
  email: text.nullable(),
  phone: text.nullable(),
  currency: text,
  delinquent: z.boolean(),
  balance: z.int(),
});

const SubscriptionItem = z.strictObject({
  id: text,
  price: text,
  product: text,
  unitAmount: amount,
  interval: z.enum(["month", "year"]),
  quantity: z.int().min(0),
});

export const Subscription = z.strictObject({
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
});

export const Invoice = z.strictObject({
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
