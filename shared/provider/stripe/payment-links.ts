/** Which payment belongs to which invoice. Pure. */
import * as z from "zod/mini";
import type { PaymentLinked, SeenAt } from "../../records/observation.ts";
import { Id, part, reference } from "./tolerant.ts";

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

const Invoice = z.object({ id: Id, payment_intent: reference });

/** The payment that an invoice names, as it did before 2025-03-31. */
export const linkOfInvoice = (object: unknown, seenAt: SeenAt): PaymentLinked | undefined => {
  const { data } = Invoice.safeParse(object);
  return data === undefined ? undefined : linked(data.payment_intent, data.id, seenAt);
};
