import { type ObjectOf, totalOf } from "../objects/objects.ts";
import type { Ledger } from "./ledger.ts";
import { cancelPayment, createPayment, failPayment, processPayment, succeedPayment } from "./payments.ts";

type Invoice = ObjectOf<"invoice">;
type Subscription = ObjectOf<"subscription">;

const DAY = 86_400;
/** Attempts to collect after which the provider gives up, and the days between them. */
const RETRY_DAYS = [3, 5, 7];

type NewInvoice = Pick<Invoice, "lines" | "billingReason" | "periodStart" | "periodEnd"> &
  Partial<Pick<Invoice, "subscription" | "collectionMethod" | "daysUntilDue" | "description" | "metadata">>;

/** A line that belongs to no subscription. `invoiceItem` is the id of the item that a client added. */
export const singleLine = (
  ledger: Ledger,
  line: Pick<Invoice["lines"][number], "description" | "amount"> & { invoiceItem?: string },
): Invoice["lines"][number] => ({
  id: ledger.newId("il_1", 23),
  price: null,
  product: null,
  quantity: 1,
  subscriptionItem: null,
  invoiceItem: null,
  ...line,
});

/** A draft. */
export const createInvoice = (ledger: Ledger, customer: ObjectOf<"customer">, invoice: NewInvoice): Invoice =>
  ledger.create<"invoice">(
    {
      object: "invoice",
      id: ledger.newId("in_1", 23),
      created: ledger.at,
      deleted: false,
      customer: customer.id,
      customerName: customer.name,
      customerEmail: customer.email,
      subscription: null,
      status: "draft",
      number: null,
      currency: customer.currency,
      collectionMethod: "charge_automatically",
      daysUntilDue: 30,
      description: null,
      metadata: {},
      amountPaid: 0,
      attemptCount: 0,
      dueDate: null,
      nextAttempt: null,
      finalizedAt: null,
      paidAt: null,
      voidedAt: null,
      uncollectibleAt: null,
      paymentIntent: null,
      charge: null,
      ...invoice,
    },
    "invoice.created",
  );

/** An invoice's open payment, and the object that links both. */
export type InvoicePayment = { intent: ObjectOf<"payment_intent">; link: ObjectOf<"invoice_payment"> | undefined };

/** Makes a draft an open invoice with a number and a payment. If its total is 0, it is paid without a payment. */
export const finalizeInvoice = (ledger: Ledger, invoice: Invoice): InvoicePayment | undefined => {
  const isSent = invoice.collectionMethod === "send_invoice";
  const total = totalOf(invoice);
  const patch = {
    number: `${invoice.customer.slice(-8).toUpperCase()}-${String(ledger.at).slice(-6)}`,
    finalizedAt: ledger.at,
    ...(isSent && { dueDate: ledger.at + invoice.daysUntilDue * DAY }),
  };
  if (total === 0) {
    ledger.change<"invoice">(invoice, { ...patch, status: "paid", paidAt: ledger.at }, "invoice.finalized");
    ledger.change<"invoice">(invoice, {}, "invoice.paid", "invoice.payment_succeeded");
    return undefined;
  }
  const intent = createPayment(ledger, {
    customer: invoice.customer,
    amount: total,
    currency: invoice.currency,
    description: invoice.subscription === null ? "Payment for Invoice" : "Subscription update",
    invoice: invoice.id,
  });
  const link = ledger.create<"invoice_payment">({
    object: "invoice_payment",
    id: ledger.newId("inpay_1", 23),
    created: ledger.at,
    deleted: false,
    invoice: invoice.id,
    paymentIntent: intent.id,
    amountRequested: total,
    amountPaid: null,
    currency: invoice.currency,
    status: "open",
    paidAt: null,
  });
  const events = ["invoice.finalized", "invoice.updated", ...(isSent ? ["invoice.sent"] : [])];
  ledger.change<"invoice">(invoice, { ...patch, status: "open", paymentIntent: intent.id }, ...events);
  return { intent, link };
};

/** The payment succeeds: charge, payment, invoice and the object that links them change in the same second. */
export const payInvoice = (ledger: Ledger, invoice: Invoice, { intent, link }: InvoicePayment): void => {
  const charge = succeedPayment(ledger, intent);
  const patch = {
    status: "paid",
    amountPaid: intent.amount,
    attemptCount: invoice.attemptCount + 1,
    nextAttempt: null,
    paidAt: ledger.at,
    charge: charge.id,
  } as const;
  ledger.change<"invoice">(invoice, patch, "invoice.updated", "invoice.paid", "invoice.payment_succeeded");
  if (link === undefined) return;
  const paid = { status: "paid", amountPaid: intent.amount, paidAt: ledger.at } as const;
  ledger.change<"invoice_payment">(link, paid, "invoice_payment.paid");
};

/** A charge failed: it is retried after some days, and the subscription is past due until then. */
export const failInvoicePayment = (
  ledger: Ledger,
  invoice: Invoice,
  payment: { intent: ObjectOf<"payment_intent">; failureCode: string; subscription: Subscription | undefined },
): void => {
  const charge = failPayment(ledger, payment.intent, payment.failureCode);
  const wait = RETRY_DAYS[invoice.attemptCount];
  const patch = {
    attemptCount: invoice.attemptCount + 1,
    nextAttempt: wait === undefined ? null : ledger.at + wait * DAY,
    charge: charge.id,
  };
  ledger.change<"invoice">(invoice, patch, "invoice.updated", "invoice.payment_failed");
  if (payment.subscription?.status === "active")
    ledger.change<"subscription">(payment.subscription, { status: "past_due" }, "customer.subscription.updated");
};

/** The invoice waits for a bank. */
export const processInvoicePayment = (ledger: Ledger, invoice: Invoice, intent: ObjectOf<"payment_intent">): void => {
  ledger.change<"invoice">(invoice, { attemptCount: invoice.attemptCount + 1 }, "invoice.updated");
  processPayment(ledger, intent);
};

/** Voids an invoice and cancels its payment. */
export const voidInvoice = (ledger: Ledger, invoice: Invoice, payment: InvoicePayment | undefined): void => {
  ledger.change<"invoice">(
    invoice,
    { status: "void", voidedAt: ledger.at, nextAttempt: null },
    "invoice.updated",
    "invoice.voided",
  );
  if (payment === undefined) return;
  const { intent, link } = payment;
  if (intent.status !== "succeeded" && intent.status !== "canceled") cancelPayment(ledger, intent, "void_invoice");
  if (link?.status === "open") ledger.change<"invoice_payment">(link, { status: "canceled" });
};

/** Deletes a draft. */
export const deleteInvoice = (ledger: Ledger, invoice: Invoice): void =>
  ledger.change<"invoice">(invoice, { deleted: true }, "invoice.deleted");

/** Payment is no longer expected, but still possible. */
export const markUncollectible = (ledger: Ledger, invoice: Invoice): void =>
  ledger.change<"invoice">(
    invoice,
    { status: "uncollectible", uncollectibleAt: ledger.at, nextAttempt: null },
    "invoice.updated",
    "invoice.marked_uncollectible",
  );
