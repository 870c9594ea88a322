/** Which payment belongs to which invoice. Pure. */
import * as z from "zod/mini";
import type { PaymentLinked, SeenAt } from "../provider.ts";
import { Id, part, reference, text } from "./tolerant.ts";

const linked = (payment: string | null, invoice: string | null, seenAt: SeenAt): PaymentLinked | undefined =>
  payment === null || invoice === null
    ? undefined
    : { kind: "linked", type: "payments", id: payment, invoiceId: invoice, seenAt };

const InvoicePayment = z.object({
  invoice: reference,
  payment: part({ payment_intent: reference }),
  status: text,
});

/** An invoice payment; undefined for one by other means than a payment, and for one that was called off. */
export const readInvoicePayment = (object: unknown, seenAt: SeenAt): PaymentLinked | undefined => {
  const { data } = InvoicePayment.safeParse(object);
  if (data === undefined || data.status === "canceled") return undefined;
  return linked(data.payment?.payment_intent ?? null, data.invoice, seenAt);
};

const Invoice = z.object({ id: Id, payment_intent: reference });

/** The payment that an invoice names, as it did before 2025-03-31. */
export const linkOfInvoice = (object: unknown, seenAt: SeenAt): PaymentLinked | undefined => {
  const { data } = Invoice.safeParse(object);
  return data === undefined ? undefined : linked(data.payment_intent, data.id, seenAt);
};
