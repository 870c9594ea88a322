/**
 * The provider's objects as the simulator keeps them: what cannot be derived, and nothing else.
 * How they look on the wire, in which API version, is in render/. Times in epoch seconds, amounts in the minor unit.
 */
import * as z from "zod";
import { Customer, Invoice, Subscription } from "./billing.ts";
import { Charge, Dispute, InvoicePayment, PaymentIntent, Refund } from "./payments.ts";

/** The schema of each kind of object, by the provider's name for it. */
export const objectSchemas = {
  customer: Customer,
  subscription: Subscription,
  invoice: Invoice,
  payment_intent: PaymentIntent,
  charge: Charge,
  refund: Refund,
  dispute: Dispute,
  invoice_payment: InvoicePayment,
} as const;

export type ObjectType = keyof typeof objectSchemas;
export type ObjectOf<Type extends ObjectType> = z.output<(typeof objectSchemas)[Type]>;
export type StoredObject = { [Type in ObjectType]: ObjectOf<Type> }[ObjectType];

export const StoredObject: z.ZodType<StoredObject> = z.discriminatedUnion("object", [
  Customer,
  Subscription,
  Invoice,
  PaymentIntent,
  Charge,
  Refund,
  Dispute,
  InvoicePayment,
]);

export const isA = <Type extends ObjectType>(
  object: StoredObject,
  type: Type,
): object is ObjectOf<Type> & StoredObject => object.object === type;

/** What an invoice asks for. */
export const totalOf = ({ lines }: ObjectOf<"invoice">): number => lines.reduce((sum, line) => sum + line.amount, 0);
