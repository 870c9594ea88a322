import type { Shape } from "../objects/api-version.ts";
import type { StoredObject } from "../objects/objects.ts";
import { renderCharge, renderDispute, renderRefund } from "./charge.ts";
import { renderCustomer } from "./customer.ts";
import { renderInvoice } from "./invoice.ts";
import { renderInvoicePayment, renderPaymentIntent } from "./payment.ts";
import { renderSubscription } from "./subscription.ts";

/** An object as the provider's answers and events have it. */
export type WireObject = Record<string, unknown>;

/** The object on the wire, as it is or, for one that was deleted, as it was. */
export const renderObject = (object: StoredObject, shape: Shape): WireObject => {
  switch (object.object) {
    case "customer":
      return renderCustomer(object);
    case "subscription":
      return renderSubscription(object, shape);
    case "invoice":
      return renderInvoice(object, shape);
    case "payment_intent":
      return renderPaymentIntent(object, shape);
    case "charge":
      return renderCharge(object, shape);
    case "refund":
      return renderRefund(object);
    case "dispute":
      return renderDispute(object);
    case "invoice_payment":
      return renderInvoicePayment(object);
  }
};
