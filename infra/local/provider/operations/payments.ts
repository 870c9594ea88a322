import type { ObjectOf } from "../objects/objects.ts";
import type { Ledger } from "./ledger.ts";

type PaymentIntent = ObjectOf<"payment_intent">;
type Charge = ObjectOf<"charge">;

/** A payment that waits for a payment method. */
export const createPayment = (
  ledger: Ledger,
  payment: Pick<PaymentIntent, "customer" | "amount" | "currency" | "description"> &
    Partial<Pick<PaymentIntent, "invoice" | "metadata">>,
): PaymentIntent =>
  ledger.create<"payment_intent">(
    {
      object: "payment_intent",
      id: ledger.newId("pi_3", 23),
      created: ledger.at,
      deleted: false,
      invoice: null,
      amountReceived: 0,
      status: "requires_payment_method",
      latestCharge: null,
      metadata: {},
      failureCode: null,
      canceledAt: null,
      cancellationReason: null,
      ...payment,
    },
    "payment_intent.created",
  );

const createCharge = (
  ledger: Ledger,
  intent: PaymentIntent,
  outcome: Pick<Charge, "status" | "failureCode">,
  eventType: string,
): Charge =>
  ledger.create<"charge">(
    {
      object: "charge",
      id: ledger.newId("ch_3", 23),
      created: ledger.at,
      deleted: false,
      customer: intent.customer,
      paymentIntent: intent.id,
      invoice: intent.invoice,
      amount: intent.amount,
      amountRefunded: 0,
      currency: intent.currency,
      description: intent.description,
      disputed: false,
      ...outcome,
    },
    eventType,
  );

/** Changes the charge and the payment only; invoices.ts changes the invoice. */
export const succeedPayment = (ledger: Ledger, intent: PaymentIntent): Charge => {
  const charge = createCharge(ledger, intent, { status: "succeeded", failureCode: null }, "charge.succeeded");
  const patch = {
    status: "succeeded",
    amountReceived: intent.amount,
    latestCharge: charge.id,
    failureCode: null,
  } as const;
  ledger.change<"payment_intent">(intent, patch, "payment_intent.succeeded");
  return charge;
};

export const failPayment = (ledger: Ledger, intent: PaymentIntent, failureCode: string): Charge => {
  const charge = createCharge(ledger, intent, { status: "failed", failureCode }, "charge.failed");
  const patch = { status: "requires_payment_method", latestCharge: charge.id, failureCode } as const;
  ledger.change<"payment_intent">(intent, patch, "payment_intent.payment_failed");
  return charge;
};

/** The bank confirms the payment later, as with direct debits. */
export const processPayment = (ledger: Ledger, intent: PaymentIntent): void =>
  ledger.change<"payment_intent">(intent, { status: "processing" }, "payment_intent.processing");

/** The payer must do something first. */
export const requireAction = (ledger: Ledger, intent: PaymentIntent): void =>
  ledger.change<"payment_intent">(intent, { status: "requires_action" }, "payment_intent.requires_action");

export const cancelPayment = (ledger: Ledger, intent: PaymentIntent, cancellationReason: string): void => {
  const patch = { status: "canceled", canceledAt: ledger.at, cancellationReason } as const;
  ledger.change<"payment_intent">(intent, patch, "payment_intent.canceled");
};

/** Refunds an amount of a charge, or its whole remainder. */
export const refundCharge = (
  ledger: Ledger,
  charge: Charge,
  { amount, reason = "requested_by_customer" }: { amount?: number | undefined; reason?: string | undefined } = {},
): ObjectOf<"refund"> => {
  const left = charge.amount - charge.amountRefunded;
  const given = Math.min(amount ?? left, left);
  const refund = ledger.create<"refund">(
    {
      object: "refund",
      id: ledger.newId("re_3", 23),
      created: ledger.at,
      deleted: false,
      charge: charge.id,
      paymentIntent: charge.paymentIntent,
      amount: given,
      currency: charge.currency,
      status: "succeeded",
      reason,
      failureReason: null,
    },
    "refund.created",
  );
  ledger.change<"charge">(charge, { amountRefunded: charge.amountRefunded + given }, "charge.refunded");
  return refund;
};

/** The bank returns the money of a refund. */
export const failRefund = (ledger: Ledger, refund: ObjectOf<"refund">, failureReason: string): void =>
  ledger.change<"refund">(refund, { status: "failed", failureReason }, "refund.failed", "refund.updated");

/** The card network suspects that a charge is fraud. The provider keeps the warning; here it is an event only. */
export const warnOfFraud = (ledger: Ledger, charge: Charge): void => {
  const id = ledger.newId("issfr_1", 23);
  ledger.emit("radar.early_fraud_warning.created", id, {
    id,
    object: "radar.early_fraud_warning",
    actionable: true,
    charge: charge.id,
    created: ledger.at,
    fraud_type: "made_with_stolen_card",
    livemode: false,
    payment_intent: charge.paymentIntent,
  });
};

/** The payer's bank asks for the money back. */
export const disputeCharge = (ledger: Ledger, charge: Charge, reason = "fraudulent"): ObjectOf<"dispute"> => {
  ledger.change<"charge">(charge, { disputed: true }, "charge.updated");
  return ledger.create<"dispute">(
    {
      object: "dispute",
      id: ledger.newId("du_1", 23),
      created: ledger.at,
      deleted: false,
      charge: charge.id,
      paymentIntent: charge.paymentIntent,
      amount: charge.amount,
      currency: charge.currency,
      status: "needs_response",
      reason,
    },
    "charge.dispute.created",
    "charge.dispute.funds_withdrawn",
  );
};

export const closeDispute = (ledger: Ledger, dispute: ObjectOf<"dispute">, status: "won" | "lost"): void =>
  ledger.change<"dispute">(dispute, { status }, "charge.dispute.closed");
