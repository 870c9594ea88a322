import type { ObjectOf } from "../objects/objects.ts";

type Invoice = ObjectOf<"invoice">;
type Line = Invoice["lines"][number];

/** The item that a line was made of. */
const lineParent = ({ subscriptionItem, invoiceItem }: Line, invoice: Invoice) => {
  const common = { proration: false, proration_details: { credited_items: null } };
  if (subscriptionItem !== null)
    return {
      type: "subscription_item_details",
      invoice_item_details: null,
      subscription_item_details: {
        ...common,
        invoice_item: null,
        subscription: invoice.subscription,
        subscription_item: subscriptionItem,
      },
    };
  if (invoiceItem === null) return null;
  return {
    type: "invoice_item_details",
    invoice_item_details: { ...common, invoice_item: invoiceItem, subscription: null },
    subscription_item_details: null,
  };
};

export const renderInvoiceLine = (line: Line, invoice: Invoice) => ({
  id: line.id,
  object: "line_item",
  amount: line.amount,
  currency: invoice.currency,
  description: line.description,
  discount_amounts: [],
  discountable: true,
  discounts: [],
  invoice: invoice.id,
  livemode: false,
  metadata: {},
  period: { end: invoice.periodEnd, start: invoice.periodStart },
  quantity: line.quantity,
  parent: lineParent(line, invoice),
  pricing: {
    type: "price_details",
    price_details: { price: line.price, product: line.product },
    unit_amount_decimal: String(line.quantity === 0 ? 0 : line.amount / line.quantity),
  },
  taxes: [],
});

/** The client's own item on an invoice, which the simulator keeps as a line. */
export const renderInvoiceItem = (line: Line, invoice: Invoice) => ({
  id: line.invoiceItem,
  object: "invoiceitem",
  amount: line.amount,
  currency: invoice.currency,
  customer: invoice.customer,
  date: invoice.created,
  description: line.description,
  discountable: true,
  discounts: [],
  invoice: invoice.id,
  livemode: false,
  metadata: {},
  parent: null,
  period: { end: invoice.periodEnd, start: invoice.periodStart },
  proration: false,
  quantity: line.quantity,
  tax_rates: [],
  test_clock: null,
});
