import type { ObjectOf } from "../objects/objects.ts";
import {
  failInvoicePayment,
  finalizeInvoice,
  markUncollectible,
  payInvoice,
  voidInvoice,
} from "../operations/invoices.ts";
import { failPayment, succeedPayment } from "../operations/payments.ts";
import { startSubscription } from "../operations/subscriptions.ts";
import { addMonths } from "../seed/subscription-history.ts";
import { type ChangeContext, paymentOf } from "./targets.ts";

type Customer = ObjectOf<"customer">;
type Invoice = ObjectOf<"invoice">;
type Subscription = ObjectOf<"subscription">;

const MONTHS = { month: 1, year: 12 } as const;

/** The end of the period of these items that begins at that time, in epoch seconds. */
export const periodEndOf = (items: readonly Pick<Subscription["items"][number], "interval">[], start: number): number =>
  addMonths(start, MONTHS[items[0]?.interval ?? "month"]);

/** The subscription of an invoice that was paid after all is active again. */
const recoverSubscription = ({ ledger }: ChangeContext, invoice: Invoice): void => {
  const subscription = ledger.find("subscription", invoice.subscription);
  if (subscription?.status === "past_due" && subscription.latestInvoice === invoice.id)
    ledger.change<"subscription">(subscription, { status: "active" }, "customer.subscription.updated");
};

/** Pays an invoice; a draft is finalized first. */
const collectInvoice = (context: ChangeContext, invoice: Invoice): void => {
  const payment = invoice.status === "draft" ? finalizeInvoice(context.ledger, invoice) : paymentOf(context, invoice);
  if (payment !== undefined) payInvoice(context.ledger, invoice, payment);
  recoverSubscription(context, invoice);
};

type InvoiceAction = {
  /** The states of an invoice that allow the action. */
  from: readonly Invoice["status"][];
  run: (context: ChangeContext, invoice: Invoice) => void;
};

/** What the control API and the provider's API do to an invoice. */
export const invoiceActions = {
  finalize: { from: ["draft"], run: ({ ledger }, invoice) => void finalizeInvoice(ledger, invoice) },
  pay: { from: ["draft", "open", "uncollectible"], run: collectInvoice },
  void: {
    from: ["open", "uncollectible"],
    run: (context, invoice) => voidInvoice(context.ledger, invoice, paymentOf(context, invoice)),
  },
  mark_uncollectible: { from: ["open"], run: ({ ledger }, invoice) => markUncollectible(ledger, invoice) },
} as const satisfies Record<string, InvoiceAction>;

/** The states of a payment that can still change. */
export const UNFINISHED = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "processing",
  "requires_capture",
];

/** Lets a payment succeed, or fail with a code, and its unpaid invoice with it. */
export const settlePayment = (
  context: ChangeContext,
  intent: ObjectOf<"payment_intent">,
  outcome: "succeeded" | { failureCode: string },
): void => {
  const { ledger } = context;
  const invoice = ledger.find("invoice", intent.invoice);
  const isUnpaid = invoice?.status === "open" || invoice?.status === "uncollectible";
  const payment = invoice && isUnpaid ? paymentOf(context, invoice) : undefined;
  if (invoice === undefined || payment === undefined) {
    if (outcome === "succeeded") succeedPayment(ledger, intent);
    else failPayment(ledger, intent, outcome.failureCode);
  } else if (outcome === "succeeded") collectInvoice(context, invoice);
  else {
    const subscription = ledger.find("subscription", invoice.subscription);
    failInvoicePayment(ledger, invoice, { intent, failureCode: outcome.failureCode, subscription });
  }
};

/** Starts a subscription and collects its first invoice: charges it, or sends it. `trialEnd` in epoch seconds. */
export const subscribe = (
  context: ChangeContext,
  customer: Customer,
  options: Omit<Parameters<typeof startSubscription>[2], "period" | "isTrial"> & { trialEnd?: number },
): Subscription => {
  const { ledger } = context;
  const { trialEnd, ...started } = options;
  const { subscription, invoice } = startSubscription(ledger, customer, {
    ...started,
    period: { start: ledger.at, end: trialEnd ?? periodEndOf(options.items, ledger.at) },
    isTrial: trialEnd !== undefined,
  });
  if (subscription.collectionMethod === "send_invoice") finalizeInvoice(ledger, invoice);
  else collectInvoice(context, invoice);
  return subscription;
};
