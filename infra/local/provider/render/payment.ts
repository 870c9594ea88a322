import type { ObjectOf } from "../objects/objects.ts";
import { describeFailure } from "../objects/payment-failure.ts";

/** The payment method of an object; derived, not stored. */
export const methodOf = (id: string) => `pm_${id.slice(-20)}`;

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

export const renderPaymentIntent = (intent: ObjectOf<"payment_intent">) => ({
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
  last_payment_error: renderError(intent),
  latest_charge: intent.latestCharge,
  livemode: false,
  metadata: intent.metadata,
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
