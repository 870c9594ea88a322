import type { Random } from "../../core/random.ts";
import type { ObjectOf } from "../objects/objects.ts";
import { failureCodes } from "../objects/payment-failure.ts";
import {
  failInvoicePayment,
  finalizeInvoice,
  markUncollectible,
  payInvoice,
  processInvoicePayment,
  voidInvoice,
} from "../operations/invoices.ts";
import type { Ledger } from "../operations/ledger.ts";
import {
  cancelAtPeriodEnd,
  cancelSubscription,
  renewSubscription,
  startSubscription,
} from "../operations/subscriptions.ts";
import type { Offer } from "./businesses.ts";
import { simulateCharge } from "./charge-history.ts";

const HOUR = 3_600;
const DAY = 86_400;
/** The length of the history. */
const HISTORY_MONTHS = 18;

/** The same day of another month, or its last day if it has no such day. */
export const addMonths = (epochSeconds: number, months: number): number => {
  const date = new Date(epochSeconds * 1000);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return Math.floor(date.getTime() / 1000);
};

/** The state of a subscription's last period today. */
const ENDS = {
  active: 62,
  trialing: 6,
  failing: 7,
  processing: 3,
  drafted: 3,
  ending: 5,
  canceled: 12,
  uncollectible: 2,
  voided: 2,
} as const;

type History = { ledger: Ledger; random: Random; nowSeconds: number; customer: ObjectOf<"customer"> };
type Subscription = ObjectOf<"subscription">;
type Invoice = ObjectOf<"invoice">;

/** Draft, an hour later open, then paid; sometimes only at the second attempt. */
const settle = ({ ledger, random, nowSeconds }: History, invoice: Invoice, subscription: Subscription) => {
  const createdAt = ledger.at;
  if (createdAt + HOUR > nowSeconds) return;
  ledger.at = createdAt + HOUR;
  const payment = finalizeInvoice(ledger, invoice);
  if (payment === undefined) return;
  if (random.chance(0.05) && createdAt + 4 * DAY < nowSeconds) {
    failInvoicePayment(ledger, invoice, { ...payment, failureCode: random.pick(failureCodes), subscription });
    ledger.at += 3 * DAY;
    payInvoice(ledger, invoice, payment);
    ledger.change<"subscription">(subscription, { status: "active" }, "customer.subscription.updated");
  } else payInvoice(ledger, invoice, payment);
  simulateCharge({ ledger, random, nowSeconds }, invoice.charge);
};

const finish = (history: History, end: keyof typeof ENDS, subscription: Subscription, invoice: Invoice) => {
  const { ledger, random, nowSeconds } = history;
  if (end === "drafted") return;
  if (end === "active" || end === "trialing" || end === "ending" || end === "canceled") {
    settle(history, invoice, subscription);
    const later = Math.min(ledger.at + random.int(10 * DAY), nowSeconds);
    ledger.at = later;
    if (end === "ending") cancelAtPeriodEnd(ledger, subscription);
    if (end === "canceled") cancelSubscription(ledger, subscription);
    return;
  }
  ledger.at = Math.min(ledger.at + HOUR, nowSeconds);
  const payment = finalizeInvoice(ledger, invoice);
  if (payment === undefined) return;
  if (end === "processing") return processInvoicePayment(ledger, invoice, payment.intent);
  failInvoicePayment(ledger, invoice, { ...payment, failureCode: random.pick(failureCodes), subscription });
  if (end === "failing") return;
  ledger.at = Math.min(ledger.at + 7 * DAY, nowSeconds);
  if (end === "voided") voidInvoice(ledger, invoice, payment);
  else markUncollectible(ledger, invoice);
  cancelSubscription(ledger, subscription);
};

/** A subscription from its start to today, period by period, and the customer who begins it. */
export const simulateSubscription = (
  history: Omit<History, "customer">,
  plan: { offer: Offer; createCustomer: (at: number) => ObjectOf<"customer"> },
): void => {
  const { ledger, random, nowSeconds } = history;
  const end = random.weighted(ENDS);
  const months = plan.offer.interval === "month" ? 1 : 12;
  const isTrial = end === "trialing";
  // Counted back from today, so that how many periods there are does not depend on the date.
  const isOver = end === "canceled" || end === "uncollectible" || end === "voided";
  const longest = isTrial ? 10 : months === 1 ? 27 : 170;
  const lastStart = nowSeconds - 2 * HOUR - random.int(longest * DAY) - (isOver ? random.int(150 * DAY) : 0);
  const earlier = isTrial ? 0 : months === 1 ? random.int(isOver ? 12 : HISTORY_MONTHS - 1) : random.int(2);
  const startOf = (period: number) => addMonths(lastStart, months * (period - earlier));
  const periodOf = (period: number) => ({
    start: startOf(period),
    end: isTrial ? startOf(period) + 14 * DAY : startOf(period + 1),
  });

  const customer = plan.createCustomer(startOf(0) - random.int(2 * DAY));
  const lived = { ...history, customer };
  ledger.at = startOf(0);
  const quantity = random.chance(0.2) ? 1 + random.int(9) : 1;
  const { price, product, unitAmount, interval } = plan.offer;
  const first = { price, product, unitAmount, interval, quantity };
  const extras = random.chance(0.04) ? 11 : 0;
  const items = Array.from({ length: 1 + extras }, (_, index) =>
    index === 0 ? first : { ...first, price: `${price}x${index}`, product: `${product}x${index}` },
  );
  const started = startSubscription(ledger, customer, {
    items,
    period: periodOf(0),
    isTrial,
    ...(random.chance(0.1) && { collectionMethod: "send_invoice" }),
  });
  let { invoice } = started;
  for (let period = 1; period <= earlier; period++) {
    settle(lived, invoice, started.subscription);
    ledger.at = startOf(period);
    invoice = renewSubscription(ledger, customer, started.subscription, periodOf(period));
  }
  finish(lived, end, started.subscription, invoice);
};
