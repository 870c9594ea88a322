/**
 * Records: the service's copy of the provider's objects. One entry of `definitions` is a type: everything else that has
 * something for each type follows from it, or does not compile without it. Only these fields are read from the provider's
 * answers; card and bank details are never requested or stored. Fields: docs/sync.md, "Records".
 */
import * as z from "zod/mini";
import type { NewSecurityEvent } from "../security/security-event.ts";

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

/**
 * `schema`: the type's name in the OpenAPI document. `fields`: in addition to those that all records have; a field that the
 * provider does not give is null. `resource`: the resource type in security events. `final`: the provider's statuses that
 * only a deletion can follow. `isOptional`: a key that may not read the type syncs the other types; runs name it in
 * `notRead`.
 */
type Definition = {
  schema: string;
  resource: NonNullable<NewSecurityEvent["resourceType"]>;
  final: readonly string[];
  isOptional: boolean;
  fields: z.ZodMiniObject;
};

/** In the order in which a full run reads them: referenced types come before those that refer to them. */
const definitions = {
  customers: {
    schema: "CustomerRecord",
    resource: "customer",
    final: [],
    isOptional: false,
    fields: z.object({ name: text, email: text, currency: text, delinquent: flag }),
  },
  subscriptions: {
    schema: "SubscriptionRecord",
    resource: "subscription",
    final: ["canceled"],
    isOptional: false,
    fields: z.object({
      status: text,
      customerId: text,
      currency: text,
      items: z.nullable(z.array(SubscriptionItem)),
      currentPeriodStart: time,
      currentPeriodEnd: time,
      cancelAtPeriodEnd: flag,
      canceledAt: time,
    }),
  },
  invoices: {
    schema: "InvoiceRecord",
    resource: "invoice",
    final: ["void"],
    isOptional: false,
    fields: z.object({
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
  },
  payments: {
    schema: "PaymentRecord",
    resource: "payment",
    final: ["succeeded", "canceled"],
    isOptional: false,
    fields: z.object({
      status: text,
      customerId: text,
      invoiceId: text,
      currency: text,
      amount,
      amountReceived: amount,
      failureCode: text,
    }),
  },
  refunds: {
    schema: "RefundRecord",
    resource: "refund",
    // A refund that has succeeded may fail later: the bank returns the money.
    final: ["failed", "canceled"],
    isOptional: true,
    fields: z.object({ amount, currency: text, status: text, reason: text, paymentId: text, failureReason: text }),
  },
  disputes: {
    schema: "DisputeRecord",
    resource: "dispute",
    final: [],
    isOptional: true,
    fields: z.object({ amount, currency: text, status: text, reason: text, paymentId: text, evidenceDueAt: time }),
  },
  payouts: {
    schema: "PayoutRecord",
    resource: "payout",
    // A payout that is paid may fail later, as with refunds.
    final: ["failed", "canceled"],
    isOptional: true,
    fields: z.object({
      amount,
      currency: text,
      status: text,
      method: text,
      arrivesAt: time,
      failureCode: text,
      automatic: flag,
    }),
  },
} as const satisfies Record<string, Definition>;

type Definitions = typeof definitions;
export type RecordType = keyof Definitions;
/** The types that a key must be able to read, or its runs fail. */
export type RequiredType = {
  [Type in RecordType]: Definitions[Type]["isOptional"] extends true ? never : Type;
}[RecordType];

export const recordTypes = Object.keys(definitions) as [RecordType, ...RecordType[]];

/** A value for each type. */
export const forEachType = <Value>(toValue: (type: RecordType) => Value): Record<RecordType, Value> =>
  Object.fromEntries(recordTypes.map((type) => [type, toValue(type)])) as Record<RecordType, Value>;

export const isOptional = (type: RecordType): type is Exclude<RecordType, RequiredType> => definitions[type].isOptional;

export const finalStatusesOf = (type: RecordType): readonly string[] => definitions[type].final;

export const RecordType = z
  .enum(recordTypes, { error: `expected one of ${recordTypes.join(", ")}` })
  .register(z.globalRegistry, { id: "RecordType", description: "A type of records." });

/** The type's name in the OpenAPI document. */
export const schemaNameOf = (type: RecordType): string => definitions[type].schema;

/** The fields of each type. */
export const recordFields = forEachType((type) => definitions[type].fields) as {
  [Type in RecordType]: Definitions[Type]["fields"];
};

export type FieldsOf<Type extends RecordType> = z.output<Definitions[Type]["fields"]>;
/** The fields of a record of any type. */
export type RecordFields = FieldsOf<RecordType>;

/** The resource type of a record in security events. */
export const resourceTypeOf = forEachType((type) => definitions[type].resource) as {
  [Type in RecordType]: Definitions[Type]["resource"];
};
