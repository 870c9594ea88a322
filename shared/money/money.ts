/**
 * Counts of an organization's money, from the provider's events: each event once, by its id, into the hour and day of the
 * provider's time. money-store.ts has the stored form. Lists of full runs count nothing. docs/money.md.
 */
import * as z from "zod/mini";
import { count } from "../json/number-fields.ts";
import type { MoneyFact } from "../provider/money-fact.ts";
import type { ProviderEvent } from "../provider/provider.ts";

/** A counted event. */
export type MoneyEvent = Pick<ProviderEvent, "id" | "createdSeconds"> & { money: MoneyFact };

/** The provider's time, epoch ms. */
export const timeOf = ({ createdSeconds }: MoneyEvent): number => createdSeconds * 1_000;

/**
 * The events about money since the connect. The provider's times are whole seconds; the second of the connect may be
 * before it, so it is left out.
 * @param connectedAt epoch ms.
 */
export const moneyEventsOf = (events: readonly ProviderEvent[], connectedAt: number): MoneyEvent[] =>
  events.flatMap(({ id, createdSeconds, money }) =>
    money === undefined || createdSeconds * 1_000 < connectedAt ? [] : [{ id, createdSeconds, money }],
  );

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
