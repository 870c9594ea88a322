import { subscriptionsOf } from "../../changes/targets.ts";
import { createCustomer, deleteCustomer } from "../../operations/customers.ts";
import { renderDeletedCustomer } from "../../render/customer.ts";
import { email, integer, mergeMetadata, metadata, unsettableText } from "./fields.ts";
import { changeObject, objectOfPath, write } from "./write.ts";

const fields = {
  name: unsettableText(256).optional(),
  email: email().optional(),
  phone: unsettableText(20).optional(),
  description: unsettableText().optional(),
  balance: integer({ min: -99_999_999, max: 99_999_999 }).optional(),
  metadata: metadata().optional(),
};

/** https://docs.stripe.com/api/customers */
export const customerWrites = [
  write("POST /v1/customers", fields, ({ ledger, account }, input) =>
    createCustomer(ledger, {
      name: input.name ?? null,
      email: input.email ?? null,
      phone: input.phone ?? null,
      description: input.description ?? null,
      balance: input.balance ?? 0,
      metadata: mergeMetadata({}, input.metadata),
      currency: account.currency,
    }),
  ),
  write("POST /v1/customers/{id}", fields, (context, { metadata: given, ...patch }, id) => {
    const customer = objectOfPath(context, "customer", id);
    const merged = mergeMetadata(customer.metadata, given);
    changeObject<"customer">(context, customer, { ...patch, metadata: merged }, "customer.updated");
    return customer;
  }),
  write("DELETE /v1/customers/{id}", {}, (context, _, id) => {
    deleteCustomer(context.ledger, objectOfPath(context, "customer", id), subscriptionsOf(context, id));
    return { rendered: renderDeletedCustomer(id) };
  }),
];
