import * as z from "zod";
import { objectSchemas, StoredObject } from "../objects/objects.ts";
import { failureCodes } from "../objects/payment-failure.ts";
import { createCustomer, deleteCustomer } from "../operations/customers.ts";
import { createInvoice, deleteInvoice, singleLine } from "../operations/invoices.ts";
import {
  cancelPayment,
  closeDispute,
  createPayment,
  disputeCharge,
  failRefund,
  processPayment,
  refundCharge,
  warnOfFraud,
} from "../operations/payments.ts";
import { createPayout, failPayout, payPayout } from "../operations/payouts.ts";
import { cancelAtPeriodEnd, cancelSubscription, renewSubscription } from "../operations/subscriptions.ts";
import { businesses } from "../seed/businesses.ts";
import { generatePerson } from "../seed/people.ts";
import { invoiceActions, periodEndOf, settlePayment, subscribe, UNFINISHED } from "./billing.ts";
import { type Action, ImpossibleChangeError, type OneChange } from "./change-request.ts";
import { type ChangeContext, requireAny, requireTarget, subscriptionsOf } from "./targets.ts";

/** The events of an update; some types have none. */
const UPDATE_EVENTS = {
  customer: ["customer.updated"],
  subscription: ["customer.subscription.updated"],
  invoice: ["invoice.updated"],
  payment_intent: [],
  charge: ["charge.updated"],
  refund: ["refund.updated", "charge.refund.updated"],
  dispute: ["charge.dispute.updated"],
  payout: ["payout.updated"],
  invoice_payment: [],
} as const;

const update = (context: ChangeContext, { id, fields }: OneChange) => {
  const object = requireAny(context, id);
  const parsed = StoredObject.safeParse({ ...object, ...fields });
  if (!parsed.success) throw new ImpossibleChangeError(400, z.prettifyError(parsed.error));
  const { id: newId, deleted, object: newType } = parsed.data;
  if (newId !== object.id || deleted || newType !== object.object)
    throw new ImpossibleChangeError(400, "object, id and deleted cannot be updated");
  context.ledger.change(object, parsed.data, ...UPDATE_EVENTS[object.object]);
};

const remove = (context: ChangeContext, { id }: OneChange) => {
  const object = requireAny(context, id);
  if (object.object === "customer") return deleteCustomer(context.ledger, object, subscriptionsOf(context, object.id));
  if (object.object !== "invoice" || object.status !== "draft")
    throw new ImpossibleChangeError(409, `${object.id} cannot be deleted: only customers and draft invoices can`);
  deleteInvoice(context.ledger, object);
};

const chargeFor = (context: ChangeContext, id: string | undefined) => {
  const intent = id?.startsWith("pi_") ? requireTarget(context, id, { type: "payment_intent" }) : undefined;
  const chargeId = intent === undefined ? id : (intent.latestCharge ?? intent.id);
  return requireTarget(context, chargeId, { type: "charge", statuses: ["succeeded"] });
};

const createSubscription = (context: ChangeContext, { id }: OneChange) => {
  const { random } = context;
  const customer = requireTarget(context, id, { type: "customer" });
  subscribe(context, customer, { items: [{ ...random.pick(businesses[0].offers), quantity: 1 + random.int(3) }] });
};

const renew = (context: ChangeContext, { id }: OneChange) => {
  const statuses = ["active", "trialing", "past_due"];
  const subscription = requireTarget(context, id, { type: "subscription", statuses });
  const customer = requireTarget(context, subscription.customer, { type: "customer" });
  const { items, periodEnd: start } = subscription;
  const period = { start, end: periodEndOf(items, start) };
  renewSubscription(context.ledger, customer, subscription, period);
};

const createManualInvoice = (context: ChangeContext, { id, amount }: OneChange) => {
  const { ledger, random } = context;
  const customer = requireTarget(context, id, { type: "customer" });
  createInvoice(ledger, customer, {
    lines: [singleLine(ledger, { description: "Service", amount: amount ?? 1_000 + random.int(20_000) })],
    billingReason: "manual",
    periodStart: ledger.at,
    periodEnd: ledger.at,
  });
};

const createSinglePayment = (context: ChangeContext, { id, amount }: OneChange) => {
  const { ledger, random } = context;
  const { id: customer, currency } = requireTarget(context, id, { type: "customer" });
  createPayment(ledger, { customer, currency, amount: amount ?? 500 + random.int(20_000), description: "Order" });
};

const TESTED_CARDS = 40;
const TESTED_AMOUNT = 100;

/** Somebody tries stolen cards: many small payments are declined, and the last one succeeds. */
const testCards = (context: ChangeContext) => {
  const { ledger, account } = context;
  for (let tried = 0; tried <= TESTED_CARDS; tried++) {
    const payment = { customer: null, currency: account.currency, amount: TESTED_AMOUNT, description: "Donation" };
    const intent = createPayment(ledger, payment);
    settlePayment(context, intent, tried === TESTED_CARDS ? "succeeded" : { failureCode: "card_declined" });
  }
};

const createPerson = (context: ChangeContext, { fields }: OneChange) => {
  const parsed = objectSchemas.customer.pick({ name: true, email: true, phone: true }).partial().safeParse(fields);
  if (!parsed.success) throw new ImpossibleChangeError(400, z.prettifyError(parsed.error));
  const { name, email, phone } = { ...generatePerson(context.random), ...parsed.data };
  const { currency } = context.account;
  createCustomer(context.ledger, { name: name ?? null, email: email ?? null, phone: phone ?? null, currency });
};

type Work = (context: ChangeContext, change: OneChange) => unknown;

const changeInvoice =
  (action: keyof typeof invoiceActions): Work =>
  (context, { id }) => {
    const { from: statuses, run } = invoiceActions[action];
    run(context, requireTarget(context, id, { type: "invoice", statuses }));
  };

/** Changes the state of a payment and of its invoice. */
const changePayment =
  (outcome: "succeed" | "fail" | "process" | "cancel"): Work =>
  (context, { id, failureCode }) => {
    const { ledger, random } = context;
    const intent = requireTarget(context, id, { type: "payment_intent", statuses: UNFINISHED });
    const code = failureCode ?? random.pick(failureCodes);
    if (outcome === "cancel") cancelPayment(ledger, intent, "requested_by_customer");
    else if (outcome === "process") processPayment(ledger, intent);
    else settlePayment(context, intent, outcome === "succeed" ? "succeeded" : { failureCode: code });
  };

const WORK: Record<Exclude<Action, "deauthorize">, Work> = {
  create_customer: createPerson,
  create_subscription: createSubscription,
  create_invoice: createManualInvoice,
  create_payment: createSinglePayment,
  update,
  delete: remove,
  finalize_invoice: changeInvoice("finalize"),
  pay_invoice: changeInvoice("pay"),
  void_invoice: changeInvoice("void"),
  mark_uncollectible: changeInvoice("mark_uncollectible"),
  succeed_payment: changePayment("succeed"),
  fail_payment: changePayment("fail"),
  process_payment: changePayment("process"),
  cancel_payment: changePayment("cancel"),
  refund: (context, { id, amount }) => refundCharge(context.ledger, chargeFor(context, id), { amount }),
  dispute: (context, { id }) => disputeCharge(context.ledger, chargeFor(context, id)),
  close_dispute: (context, { id }) => {
    const dispute = requireTarget(context, id, { type: "dispute", statuses: ["needs_response", "under_review"] });
    closeDispute(context.ledger, dispute, context.random.chance(0.5) ? "won" : "lost");
  },
  fail_refund: (context, { id, failureCode = "lost_or_stolen_card" }) =>
    failRefund(context.ledger, requireTarget(context, id, { type: "refund", statuses: ["succeeded"] }), failureCode),
  early_fraud_warning: (context, { id }) => warnOfFraud(context.ledger, chargeFor(context, id)),
  test_cards: testCards,
  create_payout: ({ ledger, account, random }, { amount }) =>
    createPayout(ledger, {
      amount: amount ?? 10_000 + random.int(200_000),
      currency: account.currency,
      automatic: true,
    }),
  pay_payout: (context, { id }) =>
    payPayout(context.ledger, requireTarget(context, id, { type: "payout", statuses: ["in_transit"] })),
  fail_payout: (context, { id, failureCode = "account_closed" }) =>
    failPayout(context.ledger, requireTarget(context, id, { type: "payout", statuses: ["in_transit"] }), failureCode),
  renew_subscription: renew,
  cancel_subscription(context, { id, atPeriodEnd }) {
    const statuses = ["active", "trialing", "past_due", "unpaid", "paused", "incomplete"];
    const subscription = requireTarget(context, id, { type: "subscription", statuses });
    if (atPeriodEnd) cancelAtPeriodEnd(context.ledger, subscription);
    else cancelSubscription(context.ledger, subscription);
  },
};

/** Makes a change in the ledger. @throws ImpossibleChangeError if it cannot be made. */
export const makeChange = (
  context: ChangeContext,
  change: OneChange & { action: Exclude<Action, "deauthorize"> },
): void => {
  WORK[change.action](context, change);
};
