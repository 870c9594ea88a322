import type { StoredObject } from "../objects/objects.ts";
import { renderCharge, renderDispute, renderRefund } from "./charge.ts";
import { renderCustomer } from "./customer.ts";
import { renderInvoice } from "./invoice.ts";
import { renderInvoicePayment, renderPaymentIntent } from "./payment.ts";
import { renderPayout } from "./payout.ts";
import { renderSubscription } from "./subscription.ts";

/** An object as the provider's answers and events have it. */
export type WireObject = Record<string, unknown>;

/** The object on the wire; a deleted object as it was. */
export const renderObject = (object: StoredObject): WireObject => {
  switch (object.object) {
    case "customer":
      return renderCustomer(object);
    case "subscription":
      return renderSubscription(object);
    case "invoice":
      return renderInvoice(object);
    case "payment_intent":
      return renderPaymentIntent(object);
    case "charge":
      return renderCharge(object);
    case "refund":
      return renderRefund(object);
    case "dispute":
      return renderDispute(object);
    case "payout":
      return renderPayout(object);
    case "invoice_payment":
      return renderInvoicePayment(object);
  }
};
