import * as z from "zod";

/** What schemas of objects are made of. Times in epoch seconds, amounts in the currency's minor unit. */
export const text = z.string();
export const seconds = z.int().min(0);
export const amount = z.int().min(0);
/** What every object has. A deleted one is kept: of a customer a stub can be read for ever. */
export const base = { id: text, created: seconds, deleted: z.boolean() };
