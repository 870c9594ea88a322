/** What GET …/money takes and answers. Apart from the counting, so that the functions that count bundle no schemas of the API. */
import * as z from "zod/mini";
import { count } from "../json/number-fields.ts";

const DAYS_EXPECTED = "expected an integer from 1 to 90";

export const DEFAULT_DAYS = 30;

export const MoneyQuery = z.object({
  days: z.optional(
    z
      .pipe(
        z.string({ error: DAYS_EXPECTED }).check(z.regex(/^(?:[1-9]|[1-8][0-9]|90)$/, { error: DAYS_EXPECTED })),
        z.transform(Number),
      )
      .register(z.globalRegistry, {
        description: `The number of UTC days, today included: 1 to 90, by default ${DEFAULT_DAYS}.`,
      }),
  ),
});

const expected = z.nullable(z.number()).register(z.globalRegistry, {
  description: "The number on a day as the 28 days before; null before a day of baseline.",
});

export const MoneyDay = z
  .object({
    day: z.string().register(z.globalRegistry, { description: "The UTC day, as YYYY-MM-DD." }),
    payments: z.object({ succeeded: count("Payments that succeeded."), failed: count("Attempts that failed.") }),
    refunds: z.object({
      count: count("Refunds that were made."),
      amounts: z.record(z.string(), z.number()).register(z.globalRegistry, {
        description: "Their sum by currency, in minor units.",
      }),
    }),
    disputes: count("Disputes that were opened."),
    warnings: count("Early fraud warnings."),
    payouts: count("Payouts that were made."),
    expected: z.object({ failed: expected, refunds: expected }),
  })
  .register(z.globalRegistry, {
    id: "MoneyDay",
    description: "What the provider's events of a day say about money, counted since the account was connected.",
  });
export type MoneyDay = z.output<typeof MoneyDay>;
