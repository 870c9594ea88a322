/** The part of a stored event that statistics count. */
import * as z from "zod/mini";
import { riskLevels } from "../../terms/risk-levels.ts";
import { categories } from "../security-event.ts";

/** What counts of an event; the event table and every index of it have these. `ttl` is epoch seconds. */
export const CountedItem = z.object({
  id: z.string(),
  eventType: z.string(),
  category: z.enum(categories),
  riskLevel: z.enum(riskLevels),
  success: z.boolean(),
  ms: z.optional(z.number()),
  ttl: z.number(),
});
export type CountedItem = z.output<typeof CountedItem>;

export const countedFields = Object.keys(CountedItem.shape);

/** The parts of a query or of a batch that ask for so many fields and no more. */
export const projectionOf = (fields: readonly string[]) => ({
  ProjectionExpression: fields.map((name) => `#${name}`).join(", "),
  ExpressionAttributeNames: Object.fromEntries(fields.map((name) => [`#${name}`, name])),
});
