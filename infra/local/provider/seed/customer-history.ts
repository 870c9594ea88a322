import type { Random } from "../../core/random.ts";
import type { ObjectOf } from "../objects/objects.ts";
import { failureCodes } from "../objects/payment-failure.ts";
import { createCustomer, deleteCustomer } from "../operations/customers.ts";
import { createInvoice, finalizeInvoice, payInvoice, singleLine, voidInvoice } from "../operations/invoices.ts";
import type { Ledger } from "../operations/ledger.ts";
import {
  cancelPayment,
  createPayment,
  failPayment,
  processPayment,
  requireAction,
  succeedPayment,
} from "../operations/payments.ts";
import type { Offer } from "./businesses.ts";
import { simulateCharge } from "./charge-history.ts";
import { generatePerson } from "./people.ts";
import { simulateSubscription } from "./subscription-history.ts";

const DAY = 86_400;
const HISTORY_DAYS = 540;

type History = { ledger: Ledger; random: Random; nowSeconds: number };

const singlePayment = (history: History, customer: ObjectOf<"customer">) => {
  const { ledger, random } = history;
  const intent = createPayment(ledger, {
    customer: customer.id,
    amount: 500 + random.int(20_000),
    currency: customer.currency,
    description: "Order",
  });
  const outcome = random.weighted({ succeeded: 70, failed: 14, processing: 4, action: 4, canceled: 6, waiting: 2 });
  if (outcome === "failed") failPayment(ledger, intent, random.pick(failureCodes));
  if (outcome === "processing") processPayment(ledger, intent);
  if (outcome === "action") requireAction(ledger, intent);
  if (outcome === "canceled") cancelPayment(ledger, intent, "abandoned");
  if (outcome === "succeeded") simulateCharge(history, succeedPayment(ledger, intent).id);
};

const singleInvoice = ({ ledger, random, nowSeconds }: History, customer: ObjectOf<"customer">) => {
  const lines = Array.from({ length: random.chance(0.1) ? 12 : 1 + random.int(2) }, (_, index) =>
    singleLine(ledger, { description: `Service ${index + 1}`, amount: 1_000 + random.int(30_000) }),
  );
  const invoice = createInvoice(ledger, customer, {
    lines,
    billingReason: "manual",
    collectionMethod: "send_invoice",
    periodStart: ledger.at,
    periodEnd: ledger.at,
  });
  const outcome = random.weighted({ draft: 15, open: 30, paid: 40, void: 15 });
  if (outcome === "draft") return;
  const payment = finalizeInvoice(ledger, invoice);
  if (outcome === "open" || payment === undefined) return;
  ledger.at = Math.min(ledger.at + 60 + random.int(10 * DAY), nowSeconds);
  if (outcome === "paid") payInvoice(ledger, invoice, payment);
  else voidInvoice(ledger, invoice, payment);
};

/** One customer's whole history up to now: with a subscription, with single payments and invoices, or deleted since. */
export const simulateCustomer = (history: History, business: { currency: string; offers: readonly Offer[] }): void => {
  const { ledger, random, nowSeconds } = history;
  const arrive = (at: number) => {
    ledger.at = at;
    return createCustomer(ledger, { ...generatePerson(random), currency: business.currency });
  };
  const kind = random.weighted({ subscriber: 78, buyer: 16, deleted: 4, visitor: 2 });
  if (kind === "subscriber") {
    const monthly = random.chance(0.85);
    const offers = business.offers.filter(({ interval }) => (interval === "month") === monthly);
    simulateSubscription(history, { offer: random.pick(offers), createCustomer: arrive });
    return;
  }
  const arrivedAt = nowSeconds - DAY - random.int((HISTORY_DAYS - 1) * DAY);
  const customer = arrive(arrivedAt);
  const purchases = kind === "buyer" ? 1 + random.int(5) : kind === "deleted" ? 1 : 0;
  for (let purchase = 0; purchase < purchases; purchase++) {
    ledger.at = arrivedAt + random.int(nowSeconds - arrivedAt);
    if (random.chance(0.7)) singlePayment(history, customer);
    else singleInvoice(history, customer);
  }
  if (kind !== "deleted") return;
  ledger.at = Math.min(ledger.at + random.int(30 * DAY), nowSeconds);
  deleteCustomer(ledger, customer, []);
};
