import { settlePayment, UNFINISHED } from "../../changes/billing.ts";
import type { ChangeContext } from "../../changes/targets.ts";
import type { ObjectOf } from "../../objects/objects.ts";
import { cancelPayment, createPayment, refundCharge } from "../../operations/payments.ts";
import { invalidParameter, refusal } from "../requests/answer.ts";
import { amount, boolean, currency, mergeMetadata, metadata, oneOf, text, unsettableText } from "./fields.ts";
import { declinedAnswer, outcomeOf, paymentMethod } from "./payment-methods.ts";
import { changeObject, objectOfParameter, objectOfPath, write } from "./write.ts";

type PaymentIntent = ObjectOf<"payment_intent">;

const described = { description: unsettableText(1_000).optional(), metadata: metadata().optional() };

/** The payment of the path, unless it is over. @throws RefusedError */
const unfinished = (context: ChangeContext, id: string, verb: string): PaymentIntent => {
  const intent = objectOfPath(context, "payment_intent", id);
  if (!UNFINISHED.includes(intent.status))
    throw refusal(400, {
      code: "payment_intent_unexpected_state",
      message: `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
    });
  return intent;
};

/** Charges the payment, and answers with it or with the decline. */
const confirm = (context: ChangeContext, intent: PaymentIntent, method: Parameters<typeof outcomeOf>[0]) => {
  const outcome = outcomeOf(method);
  settlePayment(context, intent, outcome);
  return outcome === "succeeded" ? intent : { answer: declinedAnswer(intent) };
};

/** The charge that a refund is for. @throws RefusedError */
const refundedCharge = (
  context: ChangeContext,
  given: { charge?: string | undefined; payment_intent?: string | undefined },
) => {
  const { charge: chargeId, payment_intent: intentId } = given;
  if ((chargeId === undefined) === (intentId === undefined))
    throw invalidParameter(
      "payment_intent",
      "One of the following params should be provided: payment_intent or charge.",
    );
  if (chargeId !== undefined) return objectOfParameter(context, "charge", chargeId);
  const intent = objectOfParameter(context, "payment_intent", intentId ?? "");
  const charge = context.ledger.find("charge", intent.latestCharge);
  if (charge?.status === "succeeded") return charge;
  throw refusal(400, { message: `This PaymentIntent (${intent.id}) does not have a successful charge to refund.` });
};

/** https://docs.stripe.com/api/payment_intents and https://docs.stripe.com/api/refunds */
export const paymentWrites = [
  write(
    "POST /v1/payment_intents",
    {
      amount: amount(1),
      currency: currency(),
      customer: text().optional(),
      confirm: boolean().optional(),
      payment_method: paymentMethod().optional(),
      ...described,
    },
    (context, input) => {
      const customer = input.customer === undefined ? null : objectOfParameter(context, "customer", input.customer);
      const intent = createPayment(context.ledger, {
        amount: input.amount,
        currency: input.currency,
        customer: customer?.id ?? null,
        description: input.description ?? null,
        metadata: mergeMetadata({}, input.metadata),
      });
      return input.confirm === true ? confirm(context, intent, input.payment_method) : intent;
    },
  ),
  write("POST /v1/payment_intents/{id}", described, (context, { description, metadata: given }, id) => {
    const intent = objectOfPath(context, "payment_intent", id);
    const merged = mergeMetadata(intent.metadata, given);
    const patch = { metadata: merged, ...(description !== undefined && { description }) };
    changeObject<"payment_intent">(context, intent, patch);
    return intent;
  }),
  write("POST /v1/payment_intents/{id}/confirm", { payment_method: paymentMethod().optional() }, (context, input, id) =>
    confirm(context, unfinished(context, id, "confirm"), input.payment_method),
  ),
  write(
    "POST /v1/payment_intents/{id}/cancel",
    {
      cancellation_reason: oneOf(["duplicate", "fraudulent", "requested_by_customer", "abandoned"]).optional(),
    },
    (context, { cancellation_reason: reason = "requested_by_customer" }, id) => {
      const intent = unfinished(context, id, "cancel");
      if (intent.invoice !== null)
        throw refusal(400, { message: "You cannot cancel the PaymentIntent of an invoice; void the invoice instead." });
      cancelPayment(context.ledger, intent, reason);
      return intent;
    },
  ),
  write(
    "POST /v1/refunds",
    {
      payment_intent: text().optional(),
      charge: text().optional(),
      amount: amount(1).optional(),
      reason: oneOf(["duplicate", "fraudulent", "requested_by_customer"]).optional(),
    },
    (context, input) => {
      const charge = refundedCharge(context, input);
      const left = charge.amount - charge.amountRefunded;
      if (charge.status !== "succeeded") throw refusal(400, { message: `Charge ${charge.id} has not succeeded.` });
      if (left === 0)
        throw refusal(400, {
          code: "charge_already_refunded",
          message: `Charge ${charge.id} has already been refunded.`,
        });
      if (input.amount !== undefined && input.amount > left)
        throw invalidParameter(
          "amount",
          `Refund amount (${input.amount}) is greater than unrefunded amount on charge (${left}).`,
        );
      return refundCharge(context.ledger, charge, { amount: input.amount, reason: input.reason });
    },
  ),
];
