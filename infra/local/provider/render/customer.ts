import type { ObjectOf } from "../objects/objects.ts";

export const renderCustomer = (customer: ObjectOf<"customer">) => ({
  id: customer.id,
  object: "customer",
  address: null,
  balance: customer.balance,
  created: customer.created,
  currency: customer.currency,
  default_source: null,
  delinquent: customer.delinquent,
  description: customer.description,
  discount: null,
  email: customer.email,
  invoice_prefix: customer.id.slice(-8).toUpperCase(),
  invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
  livemode: false,
  metadata: customer.metadata,
  name: customer.name,
  next_invoice_sequence: 1,
  phone: customer.phone,
  preferred_locales: [],
  shipping: null,
  tax_exempt: "none",
  test_clock: null,
});

/** The stub of a deleted customer. */
export const renderDeletedCustomer = (id: string) => ({ id, object: "customer", deleted: true });
