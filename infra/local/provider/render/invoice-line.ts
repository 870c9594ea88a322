import type { ObjectOf } from "../objects/objects.ts";

type Invoice = ObjectOf<"invoice">;

export const renderInvoiceLine = (line: Invoice["lines"][number], invoice: Invoice) => ({
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
  parent:
    line.subscriptionItem === null
      ? null
      : {
          type: "subscription_item_details",
          invoice_item_details: null,
          subscription_item_details: {
            invoice_item: null,
            proration: false,
            proration_details: { credited_items: null },
            subscription: invoice.subscription,
            subscription_item: line.subscriptionItem,
          },
        },
  pricing: {
    type: "price_details",
    price_details: { price: line.price, product: line.product },
    unit_amount_decimal: String(line.quantity === 0 ? 0 : line.amount / line.quantity),
  },
  taxes: [],
});
