import { failureCodes } from "../objects/payment-failure.ts";
import { failInvoicePayment, payInvoice } from "../operations/invoices.ts";
import { cancelPayment, failPayment, processPayment, succeedPayment } from "../operations/payments.ts";
import type { OneChange } from "./change-request.ts";
import { type ChangeContext, paymentOf, requireTarget } from "./targets.ts";

const UNFINISHED = [
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
    const invoice = ledger.find("invoice", intent.invoice);
    const payment =
      invoice && (invoice.status === "open" || invoice.status === "uncollectible")
        ? paymentOf(context, invoice)
        : undefined;
    const code = failureCode ?? random.pick(failureCodes);
    if (outcome === "cancel") cancelPayment(ledger, intent, "requested_by_customer");
    else if (outcome === "process") processPayment(ledger, intent);
    else if (invoice === undefined || payment === undefined) {
      if (outcome === "succeed") succeedPayment(ledger, intent);
      else failPayment(ledger, intent, code);
    } else if (outcome === "succeed") payInvoice(ledger, invoice, payment);
    else {
      const subscription = ledger.find("subscription", invoice.subscription);
      failInvoicePayment(ledger, invoice, { intent, failureCode: code, subscription });
    }
  };
