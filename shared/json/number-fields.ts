/**
 * Numbers in answers and stored items, documented as integers. They are the service's own, so they are not checked for
 * being integers; for inputs use int64.ts, instant.ts or checks of their own.
 */
import * as z from "zod/mini";

export const integer = (description: string) =>
  z.number().register(z.globalRegistry, { description, override: { type: "integer" } });

/** An integer of 0 or more. */
export const count = (description: string) =>
  z.number().register(z.globalRegistry, { description, override: { type: "integer", minimum: 0 } });

/** A time in epoch milliseconds. @param description of which moment; the unit is said before it. */
export const epochMs = (description?: string) =>
  integer(description === undefined ? "Epoch milliseconds." : `Epoch milliseconds: ${description}`);
