import { invoiceActions, settlePayment } from "../../changes/billing.ts";
import { type ChangeContext, paymentOf } from "../../changes/targets.ts";
import type { ObjectOf } from "../../objects/objects.ts";
import { createInvoice, deleteInvoice, finalizeInvoice, singleLine } from "../../operations/invoices.ts";
import { renderInvoiceItem } from "../../render/invoice-line.ts";
import { invalidParameter, refusal } from "../requests/answer.ts";
import { collection, readCollection } from "./collection.ts";
import { amount, currency, mergeMetadata, metadata, only, text, unsettableText } from "./fields.ts";
import { declinedAnswer, outcomeOf, paymentMethod } from "./payment-methods.ts";
import { changeObject, objectOfParameter, objectOfPath, write } from "./write.ts";

type Invoice = ObjectOf<"invoice">;

const auto_advance = only("false", "finalize and pay the invoice by requests").optional();

/** The invoice of the path in one of these states. @throws RefusedError with the provider's message otherwise. */
const invoiceIn = (context: ChangeContext, id: string, states: readonly Invoice["status"][], message: string) => {
  const invoice = objectOfPath(context, "invoice", id);
  if (!states.includes(invoice.status)) throw refusal(400, { message });
  return invoice;
};

/** The action of the path, with the provider's message for an invoice in another state. */
const action = (
  name: Exclude<keyof typeof invoiceActions, "pay">,
  message: string,
  shape: { auto_advance?: typeof auto_advance } = {},
) =>
  write(`POST /v1/invoices/{id}/${name}`, shape, (context, _, id) => {
    const { from, run } = invoiceActions[name];
    const invoice = invoiceIn(context, id, from, message);
    run(context, invoice);
    return invoice;
  });

const NOT_OPEN = "You can only pass in open invoices. This invoice isn't open.";

const notEditable = (message: string) => refusal(400, { code: "invoice_not_editable", message });

const requireCurrency = (given: string | undefined, expected: string): void => {
  if (given !== undefined && given !== expected)
    throw invalidParameter("currency", `The simulator's accounts have one currency: expected '${expected}'.`);
};

/** https://docs.stripe.com/api/invoices */
export const invoiceWrites = [
  write(
    "POST /v1/invoices",
    {
      customer: text(),
      currency: currency().optional(),
      ...collection,
      auto_advance,
      pending_invoice_items_behavior: only("exclude", "add items to the draft").optional(),
      description: unsettableText(1_500).optional(),
      metadata: metadata().optional(),
    },
    (context, input) => {
      const customer = objectOfParameter(context, "customer", input.customer);
      requireCurrency(input.currency, customer.currency);
      const { at } = context.ledger;
      return createInvoice(context.ledger, customer, {
        lines: [],
        billingReason: "manual",
        periodStart: at,
        periodEnd: at,
        ...readCollection(input),
        description: input.description ?? null,
        metadata: mergeMetadata({}, input.metadata),
      });
    },
  ),
  write(
    "POST /v1/invoiceitems",
    {
      customer: text(),
      invoice: text(),
      amount: amount(),
      currency: currency().optional(),
      description: unsettableText(500).optional(),
    },
    (context, input) => {
      const { ledger } = context;
      const invoice = objectOfParameter(context, "invoice", input.invoice);
      requireCurrency(input.currency, invoice.currency);
      if (invoice.customer !== input.customer)
        throw invalidParameter("invoice", `The invoice ${invoice.id} belongs to another customer.`);
      if (invoice.status !== "draft") throw notEditable("Line items can only be added to a draft.");
      const line = singleLine(ledger, {
        description: input.description ?? "",
        amount: input.amount,
        invoiceItem: ledger.newId("ii_1", 23),
      });
      const item = renderInvoiceItem(line, invoice);
      ledger.emit("invoiceitem.created", item.id ?? "", item);
      ledger.change<"invoice">(invoice, { lines: [...invoice.lines, line] }, "invoice.updated");
      return { rendered: item };
    },
  ),
  write(
    "POST /v1/invoices/{id}",
    {
      ...collection,
      auto_advance,
      description: unsettableText(1_500).optional(),
      metadata: metadata().optional(),
    },
    (context, { metadata: given, description, auto_advance: _, ...rest }, id) => {
      const invoice = objectOfPath(context, "invoice", id);
      if (invoice.status !== "draft" && (description !== undefined || Object.keys(rest).length > 0))
        throw notEditable("Finalized invoices can't be updated in this way.");
      const patch = {
        ...readCollection(rest, invoice.collectionMethod),
        metadata: mergeMetadata(invoice.metadata, given),
        ...(description !== undefined && { description }),
      };
      changeObject<"invoice">(context, invoice, patch, "invoice.updated");
      return invoice;
    },
  ),
  write("DELETE /v1/invoices/{id}", {}, (context, _, id) => {
    const invoice = invoiceIn(context, id, ["draft"], "You can only delete draft invoices.");
    // https://github.com/stripe/stripe-node/issues/657
    if (invoice.subscription !== null)
      throw refusal(400, { message: "You can't delete invoices created by subscriptions." });
    deleteInvoice(context.ledger, invoice);
    return { rendered: { id, object: "invoice", deleted: true } };
  }),
  action("finalize", "This invoice is already finalized, you can't re-finalize a non-draft invoice.", { auto_advance }),
  write("POST /v1/invoices/{id}/pay", { payment_method: paymentMethod().optional() }, (context, input, id) => {
    const { status } = objectOfPath(context, "invoice", id);
    const message = status === "paid" ? "Invoice is already paid" : `An invoice that is ${status} cannot be paid.`;
    const invoice = invoiceIn(context, id, invoiceActions.pay.from, message);
    const outcome = outcomeOf(input.payment_method);
    if (outcome === "succeeded") {
      invoiceActions.pay.run(context, invoice);
      return invoice;
    }
    if (invoice.status === "draft") finalizeInvoice(context.ledger, invoice);
    const payment = paymentOf(context, invoice);
    if (payment === undefined) return invoice;
    settlePayment(context, payment.intent, outcome);
    return { answer: declinedAnswer(payment.intent) };
  }),
  action("void", NOT_OPEN),
  action("mark_uncollectible", NOT_OPEN),
];
