import type { Shape } from "../objects/api-version.ts";
import type { ObjectOf } from "../objects/objects.ts";
import { describeFailure } from "../objects/payment-failure.ts";
import { methodOf } from "./payment.ts";

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
