import { type ObjectOf, totalOf } from "../objects/objects.ts";
import { renderInvoiceLine } from "./invoice-line.ts";
import { nestedList } from "./nested-list.ts";

type Invoice = ObjectOf<"invoice">;

/** The simulator's own flag: an invoice of a subscription is on its way, and a client's own invoice waits for the client. */
const advances = ({ status, subscription }: Invoice) =>
  subscription !== null && (status === "draft" || status === "open");

/** The object that an invoice belongs to. */
const invoiceParent = ({ subscription }: Invoice) =>
  subscription === null
    ? null
    : {
        type: "subscription_details",
        quote_details: null,
        subscription_details: { metadata: {}, subscription },
      };

export const renderInvoice = (invoice: Invoice) => {
  const total = totalOf(invoice);
  return {
    id: invoice.id,
    object: "invoice",
    account_country: null,
    account_name: null,
    account_tax_ids: null,
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: invoice.amountPaid,
    amount_remaining: total - invoice.amountPaid,
    amount_shipping: 0,
    application: null,
    attempt_count: invoice.attemptCount,
    attempted: invoice.attemptCount > 0,
    auto_advance: advances(invoice),
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: invoice.status === "draft" && advances(invoice) ? invoice.created + 3_600 : null,
    billing_reason: invoice.billingReason,
    collection_method: invoice.collectionMethod,
    created: invoice.created,
    currency: invoice.currency,
    custom_fields: null,
    customer: invoice.customer,
    customer_address: null,
    customer_email: invoice.customerEmail,
    customer_name: invoice.customerName,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: invoice.description,
    discounts: [],
    due_date: invoice.dueDate,
    effective_at: invoice.finalizedAt,
    ending_balance: invoice.finalizedAt === null ? null : 0,
    footer: null,
    from_invoice: null,
    ...(invoice.finalizedAt !== null && {
      hosted_invoice_url: `https://invoice.example.com/i/${invoice.id}`,
      invoice_pdf: `https://invoice.example.com/i/${invoice.id}/pdf`,
    }),
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: nestedList(
      invoice.lines.map((line) => renderInvoiceLine(line, invoice)),
      `/v1/invoices/${invoice.id}/lines`,
    ),
    livemode: false,
    metadata: invoice.metadata,
    next_payment_attempt: invoice.nextAttempt,
    number: invoice.number,
    on_behalf_of: null,
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: invoice.periodEnd,
    period_start: invoice.periodStart,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: invoice.status,
    status_transitions: {
      finalized_at: invoice.finalizedAt,
      marked_uncollectible_at: invoice.uncollectibleAt,
      paid_at: invoice.paidAt,
      voided_at: invoice.voidedAt,
    },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    webhooks_delivered_at: invoice.created,
    parent: invoiceParent(invoice),
    total_taxes: [],
  };
};
