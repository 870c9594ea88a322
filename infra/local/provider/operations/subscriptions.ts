import type { ObjectOf } from "../objects/objects.ts";
import { createInvoice } from "./invoices.ts";
import type { Ledger } from "./ledger.ts";

type Subscription = ObjectOf<"subscription">;
type Invoice = ObjectOf<"invoice">;

export type Period = { start: number; end: number };

const linesFor = (ledger: Ledger, subscription: Subscription, isTrial: boolean): Invoice["lines"] =>
  subscription.items.map((item) => ({
    id: ledger.newId("il_1", 23),
    description: `${item.quantity} × ${item.product}${isTrial ? " (trial)" : ""}`,
    amount: isTrial ? 0 : item.unitAmount * item.quantity,
    price: item.price,
    product: item.product,
    quantity: item.quantity,
    subscriptionItem: item.id,
    invoiceItem: null,
  }));

const invoiceFor = (
  ledger: Ledger,
  customer: ObjectOf<"customer">,
  subscription: Subscription,
  billingReason: Invoice["billingReason"],
): Invoice =>
  createInvoice(ledger, customer, {
    subscription: subscription.id,
    collectionMethod: subscription.collectionMethod,
    daysUntilDue: subscription.daysUntilDue,
    billingReason,
    lines: linesFor(ledger, subscription, subscription.status === "trialing"),
    periodStart: subscription.periodStart,
    periodEnd: subscription.periodEnd,
  });

/** A subscription and the draft of its first invoice, whose total is 0 during a trial. */
export const startSubscription = (
  ledger: Ledger,
  customer: ObjectOf<"customer">,
  options: {
    items: readonly Omit<Subscription["items"][number], "id">[];
    period: Period;
    isTrial?: boolean;
  } & Partial<Pick<Subscription, "collectionMethod" | "daysUntilDue" | "description" | "metadata">>,
): { subscription: Subscription; invoice: Invoice } => {
  const { items, period, isTrial = false } = options;
  const { collectionMethod = "charge_automatically", daysUntilDue = 30, description = null, metadata = {} } = options;
  const subscription = ledger.create<"subscription">(
    {
      object: "subscription",
      id: ledger.newId("sub_1", 23),
      created: ledger.at,
      deleted: false,
      customer: customer.id,
      status: isTrial ? "trialing" : "active",
      currency: customer.currency,
      items: items.map((item) => ({ ...item, id: ledger.newId("si_", 14) })),
      collectionMethod,
      daysUntilDue,
      description,
      metadata,
      periodStart: period.start,
      periodEnd: period.end,
      trialStart: isTrial ? period.start : null,
      trialEnd: isTrial ? period.end : null,
      cancelAtPeriodEnd: false,
      canceledAt: null,
      endedAt: null,
      latestInvoice: null,
    },
    "customer.subscription.created",
  );
  const invoice = invoiceFor(ledger, customer, subscription, "subscription_create");
  ledger.change<"subscription">(subscription, { latestInvoice: invoice.id });
  return { subscription, invoice };
};

/** The next period begins; a trial is over by then. */
export const renewSubscription = (
  ledger: Ledger,
  customer: ObjectOf<"customer">,
  subscription: Subscription,
  period: Period,
): Invoice => {
  const status = subscription.status === "trialing" ? "active" : subscription.status;
  ledger.change<"subscription">(
    subscription,
    { periodStart: period.start, periodEnd: period.end, status },
    "customer.subscription.updated",
  );
  const invoice = invoiceFor(ledger, customer, subscription, "subscription_cycle");
  ledger.change<"subscription">(subscription, { latestInvoice: invoice.id }, "customer.subscription.updated");
  return invoice;
};

/** Ends the subscription now; the object stays. */
export const cancelSubscription = (ledger: Ledger, subscription: Subscription): void =>
  ledger.change<"subscription">(
    subscription,
    { status: "canceled", canceledAt: subscription.canceledAt ?? ledger.at, endedAt: ledger.at },
    "customer.subscription.deleted",
  );

/** The change that ends a subscription at the end of its period, or lets it go on. */
export const endingWithPeriod = (ledger: Ledger, isEnding: boolean) => ({
  cancelAtPeriodEnd: isEnding,
  canceledAt: isEnding ? ledger.at : null,
});

/** Ends the subscription at the end of its period. */
export const cancelAtPeriodEnd = (ledger: Ledger, subscription: Subscription): void =>
  ledger.change<"subscription">(subscription, endingWithPeriod(ledger, true), "customer.subscription.updated");
