/**
 * Records: the service's copy of the provider's customers, subscriptions, invoices and payments. Only these fields are
 * read from the provider's answers; card and bank details are never requested or stored. Fields: docs/sync.md, "Records".
 */
import * as z from "zod/mini";
import { epochMs } from "../json/number-fields.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";

/** In the order in which a full run reads them: referenced types come before those that refer to them. */
export const recordTypes = ["customers", "subscriptions", "invoices", "payments"] as const;
export type RecordType = (typeof recordTypes)[number];

export const RecordType = z
  .enum(recordTypes, { error: `expected one of ${recordTypes.join(", ")}` })
  .register(z.globalRegistry, { id: "RecordType", description: "A type of records." });

const text = z.nullable(z.string());
const flag = z.nullable(z.boolean());
const time = z.nullable(z.number()).register(z.globalRegistry, {
  description: "Epoch milliseconds.",
  override: { type: ["integer", "null"] },
});
const amount = z.nullable(z.number()).register(z.globalRegistry, {
  description: "In the currency's minor unit.",
  override: { type: ["integer", "null"] },
});

const SubscriptionItem = z.object({
  priceId: text,
  quantity: z.nullable(z.number()),
  unitAmount: amount,
  interval: text,
});

/** The fields of each type, in addition to those that all records have. A field that the provider does not give is null. */
export const recordFields = {
  customers: z.object({ name: text, email: text, currency: text, delinquent: flag }),
  subscriptions: z.object({
    status: text,
    customerId: text,
    currency: text,
    items: z.nullable(z.array(SubscriptionItem)),
    currentPeriodStart: time,
    currentPeriodEnd: time,
    cancelAtPeriodEnd: flag,
    canceledAt: time,
  }),
  invoices: z.object({
    number: text,
    status: text,
    customerId: text,
    subscriptionId: text,
    currency: text,
    amountDue: amount,
    amountPaid: amount,
    dueAt: time,
    paidAt: time,
  }),
  payments: z.object({
    status: text,
    customerId: text,
    invoiceId: text,
    currency: text,
    amount,
    amountReceived: amount,
    failureCode: text,
  }),
} as const satisfies Record<RecordType, z.ZodMiniObject>;

export type FieldsOf<Type extends RecordType> = z.output<(typeof recordFields)[Type]>;
/** The fields of a record of any type. */
export type RecordFields = FieldsOf<RecordType>;

const recordOf = <Type extends RecordType>(type: Type, id: string) =>
  z
    .object({
      id: z.string().register(z.globalRegistry, { description: "The provider's id." }),
      type: z.literal(type),
      createdAt: epochMs("when the provider created it."),
      updatedAt: epochMs("when the record last changed here."),
      deleted: z
        .boolean()
        .register(z.globalRegistry, { description: "Deleted at the provider: the type's fields are null." }),
      ...recordFields[type].shape,
    })
    .register(z.globalRegistry, { id, description: `A record of the type \`${type}\`.` });

/** A record as clients see it. */
export const SyncedRecord = z
  .discriminatedUnion("type", [
    recordOf("customers", "CustomerRecord"),
    recordOf("subscriptions", "SubscriptionRecord"),
    recordOf("invoices", "InvoiceRecord"),
    recordOf("payments", "PaymentRecord"),
  ])
  .register(z.globalRegistry, {
    id: "Record",
    description: "The service's copy of one object of the provider.",
  });
export type SyncedRecord = z.output<typeof SyncedRecord>;

/** The resource type of a record in security events. */
export const resourceTypeOf = {
  customers: "customer",
  subscriptions: "subscription",
  invoices: "invoice",
  payments: "payment",
} as const satisfies Record<RecordType, NewSecurityEvent["resourceType"]>;
