import type { MoneyEvent } from "../../shared/money/money.ts";
import type { MoneyFact } from "../../shared/provider/money-fact.ts";

/** Makes counted events about money, each with an id of its own; times in epoch ms. @param prefix of ids. */
export const createMoneyEvents = (prefix = "") => {
  let made = 0;
  const event = (at: number, money: MoneyFact): MoneyEvent => ({
    id: `evt_${prefix}${String(++made).padStart(8, "0")}`,
    createdSeconds: Math.floor(at / 1_000),
    money,
  });
  const payment = () => `pi_${prefix}${made + 1}`;

  return {
    event,
    succeeded: (at: number, fields: Partial<MoneyFact> = {}) =>
      event(at, { kind: "succeeded", payment: payment(), amount: 2_000, currency: "eur", ...fields }),
    /** Declined, and not small. */
    failed: (at: number, fields: Partial<MoneyFact> = {}) =>
      event(at, {
        kind: "failed",
        payment: payment(),
        amount: 2_000,
        currency: "eur",
        failureCode: "card_declined",
        ...fields,
      }),
    refund: (at: number, amount = 2_000, currency = "eur") => event(at, { kind: "refund", amount, currency }),
    dispute: (at: number) => event(at, { kind: "dispute", payment: payment(), amount: 2_000, currency: "eur" }),
    warning: (at: number, paymentId = payment()) => event(at, { kind: "warning", payment: paymentId }),
  };
};
