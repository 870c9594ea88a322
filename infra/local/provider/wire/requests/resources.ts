import { type ObjectType, objectSchemas } from "../../objects/objects.ts";
import type { Condition } from "../../store/read-page.ts";
import { invalidParameter } from "./answer.ts";
import type { Parameters } from "./parameters.ts";

/** A kind of object that can be listed and read. */
export type Resource = {
  /** The path's word for it. */
  path: string;
  type: ObjectType;
  /** The parameter's name in the provider's error for an unknown id. */
  idParameter: string;
  /** Reads the list's own filters. @throws RefusedError that names the one that is wrong. */
  filters: (parameters: Parameters) => Condition[];
};

const is = (column: string, value: string): Condition => ({ column, is: "in", values: [value] });

/** Filters that are the value of a column, by the parameter's name. */
const byColumns = (columns: Record<string, string>) => (parameters: Parameters) =>
  Object.entries(columns).flatMap(([name, column]) => {
    const value = parameters.text(name);
    return value === undefined ? [] : [is(column, value)];
  });

const byStatus = (
  parameters: Parameters,
  type: "subscription" | "invoice" | "invoice_payment" | "payout",
  more: string[] = [],
) => {
  const status = parameters.text("status");
  const known = [...objectSchemas[type].shape.status.options, ...more];
  if (status !== undefined && !known.includes(status))
    throw invalidParameter("status", `Invalid status: must be one of ${known.join(", ")}`);
  return status;
};

/** Without a status filter, cancelled subscriptions are not listed. */
const subscriptionStatus = (parameters: Parameters): Condition[] => {
  const status = byStatus(parameters, "subscription", ["all", "ended"]);
  if (status === "all") return [];
  if (status === "ended") return [{ column: "status", is: "in", values: ["canceled", "incomplete_expired"] }];
  return status === undefined ? [{ column: "status", is: "not in", values: ["canceled"] }] : [is("status", status)];
};

const ofPayment = (parameters: Parameters): Condition[] => {
  const { payment_intent: intent } = parameters.nested("payment", ["type", "payment_intent"]);
  return intent === undefined ? [] : [is("json_extract(state, '$.paymentIntent')", intent)];
};

const ofCharge = byColumns({ charge: "json_extract(state, '$.charge')", payment_intent: "parent" });

export const resources: readonly Resource[] = [
  {
    path: "customers",
    type: "customer",
    idParameter: "id",
    filters: byColumns({ email: "json_extract(state, '$.email')" }),
  },
  {
    path: "subscriptions",
    type: "subscription",
    idParameter: "id",
    filters: (parameters) => [...byColumns({ customer: "customer" })(parameters), ...subscriptionStatus(parameters)],
  },
  {
    path: "invoices",
    type: "invoice",
    idParameter: "invoice",
    filters: (parameters) => {
      byStatus(parameters, "invoice");
      return byColumns({
        customer: "customer",
        subscription: "parent",
        status: "status",
        collection_method: "json_extract(state, '$.collectionMethod')",
      })(parameters);
    },
  },
  {
    path: "payment_intents",
    type: "payment_intent",
    idParameter: "intent",
    filters: byColumns({ customer: "customer" }),
  },
  {
    path: "charges",
    type: "charge",
    idParameter: "charge",
    filters: byColumns({ customer: "customer", payment_intent: "parent" }),
  },
  {
    path: "invoice_payments",
    type: "invoice_payment",
    idParameter: "invoice_payment",
    filters: (parameters) => {
      byStatus(parameters, "invoice_payment");
      return [...byColumns({ invoice: "parent", status: "status" })(parameters), ...ofPayment(parameters)];
    },
  },
  { path: "refunds", type: "refund", idParameter: "refund", filters: ofCharge },
  { path: "disputes", type: "dispute", idParameter: "dispute", filters: ofCharge },
  {
    path: "payouts",
    type: "payout",
    idParameter: "payout",
    filters: (parameters) => {
      byStatus(parameters, "payout");
      return byColumns({ status: "status" })(parameters);
    },
  },
];
