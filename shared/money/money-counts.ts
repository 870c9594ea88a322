/** The counts of a day, and those of an hour as the rules over money read them. Pure. */
import * as z from "zod/mini";
import type { MoneyFact } from "../provider/money-fact.ts";

/** The stored counts of a day. `amounts`: of refunds, by currency. */
export type DayCounts = {
  day: string;
  succeeded: number;
  failed: number;
  refunds: number;
  disputes: number;
  warnings: number;
  payouts: number;
  amounts: Readonly<Record<string, number>>;
};

/** Only numbers other than 0 are stored. */
const number = z._default(z.number(), 0);

/**
 * `probing`: the failed payments that were declined or small. `small`: the succeeded ones that were small. `retried`: the
 * payments that failed and succeeded in this hour. `amounts`: of refunds, by currency, in minor units.
 */
export const HourCounts = z.object({
  succeeded: number,
  failed: number,
  probing: number,
  small: number,
  retried: number,
  refunds: number,
  disputes: number,
  amounts: z._default(z.record(z.string(), z.number()), {}),
});
export type HourCounts = z.output<typeof HourCounts>;

/** A small payment has at most this amount, in minor units. Decisions §12, "Money". */
const SMALL_AMOUNT = 500;

/** The codes of a refused card: https://docs.stripe.com/error-codes. Other failures are of the payment's making. */
const DECLINES: ReadonlySet<string> = new Set([
  "card_declined",
  "expired_card",
  "incorrect_address",
  "incorrect_cvc",
  "incorrect_number",
  "incorrect_zip",
  "invalid_cvc",
  "invalid_expiry_month",
  "invalid_expiry_year",
  "invalid_number",
]);

const isSmall = ({ amount }: MoneyFact): boolean => amount !== undefined && amount <= SMALL_AMOUNT;
const isDecline = ({ failureCode }: MoneyFact): boolean => failureCode !== undefined && DECLINES.has(failureCode);

export type HourTally = { add: (facts: readonly MoneyFact[]) => void; counts: () => HourCounts };

/** Counts an hour page by page: of its facts only the payments that failed or succeeded are held. */
export const createHourTally = (): HourTally => {
  const counts = HourCounts.parse({});
  const amounts: Record<string, number> = {};
  const failed = new Set<string>();
  const succeeded = new Set<string>();

  const addOne = (fact: MoneyFact): void => {
    const { kind, payment, amount = 0, currency } = fact;
    if (kind === "failed") {
      counts.failed++;
      if (isSmall(fact) || isDecline(fact)) counts.probing++;
      if (payment !== undefined) failed.add(payment);
    }
    if (kind === "succeeded") {
      counts.succeeded++;
      if (isSmall(fact)) counts.small++;
      if (payment !== undefined) succeeded.add(payment);
    }
    if (kind === "refund") {
      counts.refunds++;
      if (currency !== undefined) amounts[currency] = (amounts[currency] ?? 0) + amount;
    }
    if (kind === "dispute") counts.disputes++;
  };

  return {
    add: (facts) => {
      for (const fact of facts) addOne(fact);
    },
    counts: () => ({
      ...counts,
      amounts: { ...amounts },
      retried: [...failed].filter((payment) => succeeded.has(payment)).length,
    }),
  };
};
