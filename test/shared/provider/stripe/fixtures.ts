import { parseProviderEvent } from "../../../../shared/provider/stripe/events.ts";
import { isSetAside } from "../../../../shared/records/set-aside.ts";

/** The provider's objects, with shortened unread fields. Times: 2026-11. */

const SECONDS = 1_794_000_000;

export const customer = {
  id: "cus_Q1",
  object: "customer",
  address: { city: "Ulm", country: "DE", line1: "Hafengasse 1", postal_code: "89073" },
  balance: 0,
  created: SECONDS,
  currency: "eur",
  default_source: "card_1",
  delinquent: false,
  description: null,
  email: "ada@example.com",
  invoice_prefix: "A1B2C3",
  livemode: false,
  metadata: { iban: "DE89370400440532013000" },
  name: "Ada Lovelace",
  phone: "+49 731 1234",
  sources: { object: "list", data: [{ id: "card_1", object: "card", last4: "4242", number: "4242424242424242" }] },
};

const price = {
  id: "price_1",
  object: "price",
  currency: "eur",
  product: "prod_1",
  recurring: { interval: "month", interval_count: 1, usage_type: "licensed" },
  unit_amount: 1_500,
  unit_amount_decimal: "1500",
};

/** The shape since 2025-03-31: periods in the items. */
export const subscription = {
  id: "sub_1",
  object: "subscription",
  cancel_at_period_end: true,
  canceled_at: SECONDS + 50,
  created: SECONDS,
  currency: "eur",
  customer: "cus_Q1",
  default_payment_method: "pm_1",
  items: {
    object: "list",
    has_more: false,
    data: [
      {
        id: "si_1",
        object: "subscription_item",
        current_period_start: SECONDS + 10,
        current_period_end: SECONDS + 100,
        price,
        quantity: 2,
      },
      {
        id: "si_2",
        object: "subscription_item",
        current_period_start: SECONDS,
        current_period_end: SECONDS + 400,
        price: { id: "price_2", recurring: { interval: "year" }, unit_amount: null, unit_amount_decimal: "0.5" },
      },
    ],
  },
  latest_invoice: "in_1",
  status: "active",
};

/** The shape before: the period in the subscription, and plans. */
export const oldSubscription = {
  id: "sub_0",
  object: "subscription",
  cancel_at_period_end: false,
  canceled_at: null,
  created: SECONDS,
  currency: "usd",
  current_period_end: SECONDS + 200,
  current_period_start: SECONDS + 20,
  customer: { id: "cus_Q1", object: "customer", email: "ada@example.com" },
  items: {
    object: "list",
    data: [
      { id: "si_0", object: "subscription_item", plan: { id: "gold", amount: 900, interval: "week" }, quantity: 1 },
    ],
  },
  plan: { id: "gold", amount: 900, interval: "week" },
  status: "trialing",
};

/** The shape since 2025-03-31: the subscription under its parent, the payments in a separate list. */
export const invoice = {
  id: "in_1",
  object: "invoice",
  account_name: "Plants",
  amount_due: 3_000,
  amount_paid: 1_000,
  amount_remaining: 2_000,
  created: SECONDS,
  currency: "eur",
  customer: "cus_Q1",
  customer_address: customer.address,
  customer_email: "ada@example.com",
  customer_name: "Ada Lovelace",
  default_payment_method: {
    id: "pm_1",
    object: "payment_method",
    sepa_debit: { last4: "3000", iban: "DE89370400440532013000" },
  },
  due_date: SECONDS + 1_000,
  hosted_invoice_url: "https://invoice.example/in_1",
  number: "A1B2C3-0001",
  parent: {
    type: "subscription_details",
    quote_details: null,
    subscription_details: { subscription: "sub_1", metadata: {} },
  },
  status: "open",
  status_transitions: { finalized_at: SECONDS, marked_uncollectible_at: null, paid_at: SECONDS + 30, voided_at: null },
};

export const oldInvoice = {
  id: "in_0",
  object: "invoice",
  amount_due: 900,
  amount_paid: 900,
  charge: "ch_1",
  created: SECONDS,
  currency: "usd",
  customer: { id: "cus_Q1", object: "customer" },
  due_date: null,
  number: null,
  payment_intent: "pi_0",
  status: "paid",
  status_transitions: { paid_at: SECONDS + 5 },
  subscription: { id: "sub_0", object: "subscription" },
};

export const payment = {
  id: "pi_1",
  object: "payment_intent",
  amount: 3_000,
  amount_received: 0,
  client_secret: "pi_1_secret_abc",
  created: SECONDS,
  currency: "eur",
  customer: "cus_Q1",
  last_payment_error: {
    code: "card_declined",
    decline_code: "insufficient_funds",
    message: "Your card has insufficient funds.",
    payment_method: { id: "pm_1", card: { last4: "4242", number: "4242424242424242" } },
    type: "card_error",
  },
  latest_charge: "ch_1",
  payment_method_types: ["card"],
  receipt_email: "ada@example.com",
  status: "requires_payment_method",
};

export const oldPayment = {
  id: "pi_0",
  object: "payment_intent",
  amount: 900,
  amount_received: 900,
  charges: { object: "list", data: [{ id: "ch_1", payment_method_details: { card: { last4: "4242" } } }] },
  created: SECONDS,
  currency: "usd",
  customer: null,
  invoice: "in_0",
  last_payment_error: null,
  status: "succeeded",
};

export const charge = {
  id: "ch_1",
  object: "charge",
  amount: 900,
  created: SECONDS,
  payment_intent: "pi_1",
  payment_method_details: { card: { brand: "visa", last4: "4242" }, type: "card" },
};

export const refund = {
  id: "re_1",
  object: "refund",
  amount: 100,
  charge: "ch_1",
  created: SECONDS,
  currency: "eur",
  destination_details: { card: { reference: "4242424242424242", type: "refund" }, type: "card" },
  failure_reason: "lost_or_stolen_card",
  payment_intent: "pi_1",
  reason: "requested_by_customer",
  status: "failed",
};
export const dispute = {
  id: "dp_1",
  object: "dispute",
  amount: 900,
  charge: "ch_1",
  created: SECONDS,
  currency: "eur",
  evidence: { customer_name: "Ada", customer_email_address: "ada@example.com" },
  evidence_details: { due_by: SECONDS + 5, has_evidence: false, past_due: false },
  payment_intent: { id: "pi_1" },
  payment_method_details: { card: { brand: "visa", network_reason_code: "83" }, type: "card" },
  reason: "fraudulent",
  status: "needs_response",
};

export const payout = {
  id: "po_1",
  object: "payout",
  amount: 12_300,
  arrival_date: SECONDS + 5,
  automatic: true,
  created: SECONDS,
  currency: "eur",
  destination: { id: "ba_1", object: "bank_account", last4: "3000", routing_number: "110000000" },
  failure_code: "account_closed",
  method: "standard",
  status: "failed",
  type: "bank_account",
};

export const invoicePayment = {
  id: "inpay_1",
  object: "invoice_payment",
  amount_paid: 3_000,
  created: SECONDS,
  invoice: "in_1",
  is_default: true,
  payment: { type: "payment_intent", payment_intent: "pi_1" },
  status: "paid",
};

/** An event of the feed or of a webhook. */
export const event = (type: string, object: unknown, created = SECONDS) => ({
  id: "evt_1",
  object: "event",
  api_version: "2026-10-28.endive",
  created,
  data: { object, previous_attributes: {} },
  livemode: false,
  pending_webhooks: 1,
  request: { id: "req_1", idempotency_key: null },
  type,
});

/** The event of a payload, read an hour after its time. */
export const parsedEvent = (payload: unknown) => {
  const event = parseProviderEvent(payload, SECONDS + 3_600);
  return event === undefined || isSetAside(event) ? undefined : event;
};

export const CREATED_MS = SECONDS * 1_000;
export const CREATED_SECONDS = SECONDS;
