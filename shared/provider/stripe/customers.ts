/** A customer as the provider gives it → its fields. Nothing else of it is read. Pure. */
import * as z from "zod/mini";
import { flag, text } from "./tolerant.ts";

const Customer = z.object({ name: text, email: text, currency: text, delinquent: flag });

/** @throws ZodError where it is no object at all. */
export const readCustomer = (object: unknown) => ({ type: "customers", fields: Customer.parse(object) }) as const;
