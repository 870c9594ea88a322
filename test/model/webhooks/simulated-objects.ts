/** Objects of a simulated provider in the wire formats before and after 2025-03-31 ("basil"). */
import type { RecordType } from "../../../shared/records/record.ts";

export type Shape = "old" | "basil";

/** The words of `kind` are the provider's own. Times in epoch seconds. */
export type SimulatedObject = {
  type: RecordType;
  id: string;
  created: number;
  isDeleted: boolean;
  /** Increases with every change; sent in a field that records keep. */
  value: number;
  status: string;
  customer: string;
  /** The invoice of a payment, or the payment of an invoice, once they are linked. */
  link: string | null;
};

const nouns: Record<RecordType, string> = {
  customers: "customer",
  subscriptions: "subscription",
  invoices: "invoice",
  payments: "payment_intent",
};

const fieldsOf = ({ type, created, value, status, customer, link }: SimulatedObject, shape: Shape): object => {
  const isOld = shape === "old";
  switch (type) {
    case "customers":
      return { name: `name ${value}`, email: null, currency: "eur", delinquent: value % 2 === 0 };
    case "subscriptions": {
      const period = { current_period_start: created, current_period_end: created + value };
      const item = { quantity: value, price: { id: "price_1", unit_amount: 100, recurring: { interval: "month" } } };
      return {
        ...{ status, customer, currency: "eur", cancel_at_period_end: false },
        ...{ canceled_at: status === "canceled" ? created + value : null },
        ...(isOld && period),
        items: { data: [isOld ? item : { ...item, ...period }] },
      };
    }
    case "invoices":
      return {
        ...{ status, customer, currency: "eur", number: "A-1", amount_due: 1_000, amount_paid: value, due_date: null },
        ...(isOld
          ? { subscription: "sub_1", payment_intent: link }
          : { parent: { subscription_details: { subscription: "sub_1" } } }),
      };
    case "payments":
      return {
        ...{ status, customer: { id: customer }, currency: "eur", amount: 1_000, amount_received: value },
        ...(isOld && { invoice: link }),
      };
  }
};

/** An object in the wire format of its API version. */
export const render = (object: SimulatedObject, shape: Shape): Record<string, unknown> => ({
  ...{ id: object.id, object: nouns[object.type], created: object.created },
  ...(object.isDeleted ? { deleted: true } : fieldsOf(object, shape)),
});

/** The events of a change. Each list of `changed` is one possible set of events. */
type Tellings = {
  created: readonly string[];
  changed: readonly (readonly string[])[];
  final?: readonly string[];
  deleted?: readonly string[];
};

export const eventTypes: Record<RecordType, Tellings> = {
  customers: { created: ["customer.created"], changed: [["customer.updated"]], deleted: ["customer.deleted"] },
  subscriptions: {
    created: ["customer.subscription.created"],
    changed: [["customer.subscription.updated"], ["customer.subscription.updated", "customer.subscription.resumed"]],
    final: ["customer.subscription.deleted"],
  },
  invoices: {
    created: ["invoice.created"],
    changed: [["invoice.updated"], ["invoice.finalized", "invoice.updated"], ["invoice.sent"]],
    final: ["invoice.voided", "invoice.updated"],
    deleted: ["invoice.deleted"],
  },
  payments: {
    created: ["payment_intent.created"],
    // Some changes of a payment only cause events of its charge.
    changed: [["payment_intent.processing"], ["charge.captured"], ["refund.created", "charge.refunded"]],
    final: ["payment_intent.succeeded", "charge.succeeded"],
  },
};

/** The final status. */
export const finalStatus: Partial<Record<RecordType, string>> = {
  subscriptions: "canceled",
  invoices: "void",
  payments: "succeeded",
};
