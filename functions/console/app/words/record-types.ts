/** The types of the provider's records, and the addresses of their views. */

import type { RecordType } from "../api/types.ts";
import { addressBelow } from "./address.ts";

export const typeNames: Readonly<Record<RecordType, { one: string; many: string }>> = {
  customers: { one: "Customer", many: "Customers" },
  subscriptions: { one: "Subscription", many: "Subscriptions" },
  invoices: { one: "Invoice", many: "Invoices" },
  payments: { one: "Payment", many: "Payments" },
  refunds: { one: "Refund", many: "Refunds" },
  disputes: { one: "Dispute", many: "Disputes" },
  payouts: { one: "Payout", many: "Payouts" },
};

export const recordTypes = Object.keys(typeNames) as RecordType[];

/** A customer's view also has the customer's other records. */
export const recordAddress = (type: RecordType, id: string): string =>
  addressBelow(type === "customers" ? "/console/customers" : `/console/records/${type}`, id);
