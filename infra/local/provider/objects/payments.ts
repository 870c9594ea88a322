import * as z from "zod";
import { amount, base, seconds, text } from "./attributes.ts";

export const PaymentIntent = z.strictObject({
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
  description: text.nullable(),
  latestCharge: text.nullable(),
  failureCode: text.nullable(),
  canceledAt: seconds.nullable(),
  cancellationReason: text.nullable(),
});

export const Charge = z.strictObject({
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

export const Refund = z.strictObject({
  object: z.literal("refund"),
  ...base,
  charge: text,
  paymentIntent: text.nullable(),
  amount,
  currency: text,
  status: z.enum(["pending", "succeeded", "failed", "canceled"]),
  reason: text.nullable(),
});

export const Dispute = z.strictObject({
  object: z.literal("dispute"),
  ...base,
  charge: text,
  paymentIntent: text.nullable(),
  amount,
  currency: text,
  status: z.enum(["needs_response", "under_review", "won", "lost"]),
  reason: text,
});

export const InvoicePayment = z.strictObject({
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
