import type { NewSecurityEvent } from "../security/security-event.ts";
import type { RecordType } from "./record.ts";

/** What security events call a record of each type. */
export const resourceTypeOf = {
  customers: "customer",
  subscriptions: "subscription",
  invoices: "invoice",
  payments: "payment",
} as const satisfies Record<RecordType, NewSecurityEvent["resourceType"]>;
