/** What can be said of a record's fields without knowing when they were seen. Pure. */
import { isDeepStrictEqual } from "node:util";
import { type RecordFields, type RecordType, recordFields } from "./record.ts";

/** The provider's words for states that no other follows, but for a deletion. Customers have none. */
const finalStatuses: Readonly<Record<RecordType, readonly string[]>> = {
  customers: [],
  subscriptions: ["canceled"],
  invoices: ["void"],
  payments: ["succeeded", "canceled"],
};

export const isFinal = (type: RecordType, fields: RecordFields): boolean =>
  "status" in fields && fields.status !== null && finalStatuses[type].includes(fields.status);

/** The fields that a type has, and nothing else that an answer may have held. */
export const allowedFields = (type: RecordType, fields: RecordFields): RecordFields => recordFields[type].parse(fields);

export const areEqual = (first: RecordFields, second: RecordFields): boolean => isDeepStrictEqual(first, second);

/** The invoice that a payment is known to belong to; nothing else has that field. */
export const invoiceOf = (fields: RecordFields | undefined): string | undefined =>
  fields !== undefined && "invoiceId" in fields ? (fields.invoiceId ?? undefined) : undefined;

/** A payment's fields with its invoice, where it is known and they lack it; all other fields as they are. */
export const withInvoice = (fields: RecordFields, invoiceId: string | undefined): RecordFields =>
  invoiceId !== undefined && "invoiceId" in fields && fields.invoiceId === null ? { ...fields, invoiceId } : fields;
