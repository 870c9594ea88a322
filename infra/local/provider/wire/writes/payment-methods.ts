import type { ObjectOf } from "../../objects/objects.ts";
import { renderPaymentIntent } from "../../render/payment.ts";
import type { Answer } from "../requests/answer.ts";
import { oneOf } from "./fields.ts";

/** The provider's payment methods for tests, by the failure that they cause: https://docs.stripe.com/testing */
const DECLINES = {
  pm_card_visa_chargeDeclined: "card_declined",
  pm_card_visa_chargeDeclinedInsufficientFunds: "insufficient_funds",
  pm_card_chargeDeclinedExpiredCard: "expired_card",
  pm_card_chargeDeclinedIncorrectCvc: "incorrect_cvc",
  pm_card_chargeDeclinedProcessingError: "processing_error",
} as const;
const SUCCEEDS = "pm_card_visa";

type Method = typeof SUCCEEDS | keyof typeof DECLINES;

/** A payment without one succeeds: customers of the simulator have a card. */
export const paymentMethod = () => oneOf([SUCCEEDS, ...(Object.keys(DECLINES) as (keyof typeof DECLINES)[])]);

export const outcomeOf = (method: Method = SUCCEEDS): "succeeded" | { failureCode: string } =>
  method === SUCCEEDS ? "succeeded" : { failureCode: DECLINES[method] };

/** The refusal of a payment that a bank declined; the payment has failed by then. */
export const declinedAnswer = (intent: ObjectOf<"payment_intent">): Answer => {
  const rendered = renderPaymentIntent(intent);
  const { payment_method: _, ...error } = rendered.last_payment_error ?? {};
  return { status: 402, body: { error: { ...error, payment_intent: rendered } } };
};
