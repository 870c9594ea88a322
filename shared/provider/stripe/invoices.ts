/**
 * An invoice as the provider gives it → its fields. Nothing else of it is read. Pure.
 * Its subscription stands in the invoice itself (before 2025-03-31) or under its parent; the payment only in the former.
 */
import * as z from "zod/mini";
import { integer, part, reference, text, time } from "./tolerant.ts";

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
