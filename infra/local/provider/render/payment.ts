import type { Shape } from "../api-version.ts";
import type { ObjectOf } from "../objects.ts";
import { describeFailure } from "./payment-failure.ts";

const methodOf = (id: string) => `pm_${id.slice(-20)}`;

const renderError = (intent: ObjectOf<"payment_intent">) => {
  if (intent.failureCode === null) return null;
  const { code, declineCode, message } = describeFailure(intent.failureCode);
  return {
    ...(intent.latestCharge !== null && { charge: intent.latestCharge }),
    code,
    decline_code: declineCode,
    doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}`,
    message,
    payment_method: { id: methodOf(intent.id), object: "payment_method", type: "card", livemode: false, metadata: {} },
    type: "card_error",
  };
};

export const renderPaymentIntent = (intent: ObjectOf<"payment_intent">, shape: Shape) => ({
  id: intent.id,
  object: "payment_intent",
  amount: intent.amount,
  amount_capturable: intent.status === "requires_capture" ? intent.amount : 0,
  amount_details: { tip: {} },
  amount_received: intent.amountReceived,
  application: null,
  application_fee_amount: null,
  automatic_payment_methods: null,
  canceled_at: intent.canceledAt,
  cancellation_reason: intent.cancellationReason,
  capture_method: "automatic",
  client_secret: `${intent.id}_secret_${intent.id.slice(-16)}`,
  confirmation_method: "automatic",
  created: intent.created,
  currency: intent.currency,
  customer: intent.customer,
  description: intent.description,
  ...(shape === "legacy" && { invoice: intent.invoice }),
  last_payment_error: renderError(intent),
  latest_charge: intent.latestCharge,
  livemode: false,
  metadata: {},
  next_action:
    intent.status === "requires_action"
      ? { type: "use_stripe_sdk", use_stripe_sdk: { type: "three_d_secure_redirect" } }
      : null,
  on_behalf_of: null,
  payment_method: intent.status === "succeeded" || intent.status === "processing" ? methodOf(intent.id) : null,
  payment_method_configuration_details: null,
  payment_method_options: { card: { request_three_d_secure: "automatic" } },
  payment_method_types: ["card"],
  processing: null,
  receipt_email: null,
  review: null,
  setup_future_usage: null,
  shipping: null,
  source: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  status: intent.status,
  transfer_data: null,
  transfer_group: null,
});

/** Its card details are there to be dropped by who reads them; there is no card number, as with the provider. */
export const renderCharge = (charge: ObjectOf<"charge">, shape: Shape) => {
  const failure = charge.failureCode === null ? undefined : describeFailure(charge.failureCode);
  return {
    id: charge.id,
    object: "charge",
    amount: charge.amount,
    amount_captured: charge.status === "succeeded" ? charge.amount : 0,
    amount_refunded: charge.amountRefunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: charge.status === "succeeded" ? `txn_${charge.id.slice(3)}` : null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: "EXAMPLE.COM",
    captured: charge.status === "succeeded",
    created: charge.created,
    currency: charge.currency,
    customer: charge.customer,
    description: charge.description,
    disputed: charge.disputed,
    failure_balance_transaction: null,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    fraud_details: {},
    ...(shape === "legacy" && { invoice: charge.invoice }),
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: {
      network_status: failure ? "declined_by_network" : "approved_by_network",
      reason: failure?.declineCode ?? null,
      risk_level: "normal",
      seller_message: failure ? "The bank returned the decline code." : "Payment complete.",
      type: failure ? "issuer_declined" : "authorized",
    },
    paid: charge.status === "succeeded",
    payment_intent: charge.paymentIntent,
    payment_method: methodOf(charge.id),
    payment_method_details: {
      card: { brand: "visa", country: "DE", exp_month: 8, exp_year: 2030, funding: "credit", last4: "4242" },
      type: "card",
    },
    receipt_email: null,
    receipt_number: null,
    receipt_url: `https://pay.example.com/receipts/${charge.id}`,
    refunded: charge.amountRefunded > 0 && charge.amountRefunded === charge.amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: charge.status,
    transfer_data: null,
    transfer_group: null,
  };
};

export const renderRefund = (refund: ObjectOf<"refund">) => ({
  id: refund.id,
  object: "refund",
  amount: refund.amount,
  balance_transaction: `txn_${refund.id.slice(3)}`,
  charge: refund.charge,
  created: refund.created,
  currency: refund.currency,
  metadata: {},
  payment_intent: refund.paymentIntent,
  reason: refund.reason,
  receipt_number: null,
  source_transfer_reversal: null,
  status: refund.status,
  transfer_reversal: null,
});

export const renderDispute = (dispute: ObjectOf<"dispute">) => ({
  id: dispute.id,
  object: "dispute",
  amount: dispute.amount,
  balance_transactions: [],
  charge: dispute.charge,
  created: dispute.created,
  currency: dispute.currency,
  evidence: {},
  evidence_details: {
    due_by: dispute.created + 14 * 86_400,
    has_evidence: false,
    past_due: false,
    submission_count: 0,
  },
  is_charge_refundable: false,
  livemode: false,
  metadata: {},
  payment_intent: dispute.paymentIntent,
  reason: dispute.reason,
  status: dispute.status,
});

export const renderInvoicePayment = (payment: ObjectOf<"invoice_payment">) => ({
  id: payment.id,
  object: "invoice_payment",
  amount_paid: payment.amountPaid,
  amount_requested: payment.amountRequested,
  created: payment.created,
  currency: payment.currency,
  invoice: payment.invoice,
  is_default: true,
  livemode: false,
  payment: { payment_intent: payment.paymentIntent, type: "payment_intent" },
  status: payment.status,
  status_transitions: {
    canceled_at: payment.status === "canceled" ? payment.created : null,
    paid_at: payment.paidAt,
  },
});
