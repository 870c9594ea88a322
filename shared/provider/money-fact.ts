/** What an event of the provider says about money, for counts and rules over them (shared/money/). */
import * as z from "zod/mini";

const moneyKinds = ["succeeded", "failed", "refund", "dispute", "warning", "payout"] as const;

/**
 * `succeeded` and `failed` are payments, `warning` an early fraud warning. `payment`: the payment intent that it is about,
 * else the charge. `amount` in the currency's minor unit. It has no card and no cardholder.
 */
export const MoneyFact = z.object({
  kind: z.enum(moneyKinds),
  payment: z.exactOptional(z.string()),
  amount: z.exactOptional(z.number()),
  currency: z.exactOptional(z.string()),
  failureCode: z.exactOptional(z.string()),
});
export type MoneyFact = z.output<typeof MoneyFact>;
