/**
 * A payment intent as the provider gives it → a payment's fields. Nothing else of it is read. Pure.
 * Its invoice stands in it only before 2025-03-31; else it comes from links (payment-links.ts).
 */
import * as z from "zod/mini";
import { integer, part, reference, text } from "./tolerant.ts";

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
