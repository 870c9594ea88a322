import type { ObjectOf } from "../objects/objects.ts";
import type { Ledger } from "./ledger.ts";
import { cancelSubscription } from "./subscriptions.ts";

type Customer = ObjectOf<"customer">;

export const createCustomer = (
  ledger: Ledger,
  customer: Pick<Customer, "name" | "email" | "currency"> &
    Partial<Pick<Customer, "phone" | "balance" | "description" | "metadata">>,
): Customer =>
  ledger.create<"customer">(
    {
      object: "customer",
      id: ledger.newId("cus_", 14),
      created: ledger.at,
      deleted: false,
      phone: null,
      delinquent: false,
      balance: 0,
      description: null,
      metadata: {},
      ...customer,
    },
    "customer.created",
  );

/** Deletes a customer. Subscriptions that have not ended are cancelled first. */
export const deleteCustomer = (
  ledger: Ledger,
  customer: Customer,
  subscriptions: readonly ObjectOf<"subscription">[],
): void => {
  for (const subscription of subscriptions) cancelSubscription(ledger, subscription);
  ledger.change<"customer">(customer, { deleted: true }, "customer.deleted");
};
