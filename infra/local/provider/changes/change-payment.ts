import { failureCodes } from "../objects/payment-failure.ts";
import { cancelPayment, processPayment } from "../operations/payments.ts";
import { settlePayment } from "./billing.ts";
import type { OneChange } from "./change-request.ts";
import { type ChangeContext, requireTarget } from "./targets.ts";

/** The states of a payment that can still change. */
export const UNFINISHED = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "processing",
  "requires_capture",
];

/** Changes the state of a payment and of its invoice. */
export const changePayment =
  (outcome: "succeed" | "fail" | "process" | "cancel") =>
  (context: ChangeContext, { id, failureCode }: OneChange): void => {
    const { ledger, random } = context;
    const intent = requireTarget(context, id, { type: "payment_intent", statuses: UNFINISHED });
    const code = failureCode ?? random.pick(failureCodes);
    if (outcome === "cancel") cancelPayment(ledger, intent, "requested_by_customer");
    else if (outcome === "process") processPayment(ledger, intent);
    else settlePayment(context, intent, outcome === "succeed" ? "succeeded" : { failureCode: code });
  };
