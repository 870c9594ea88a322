import type { Random } from "../../core/random.ts";
import type { Ledger } from "../operations/ledger.ts";
import { createPayout, failPayout, payPayout } from "../operations/payouts.ts";

const WEEK = 7 * 86_400;
const TRANSIT = 2 * 86_400;
const WEEKS = 26;

/** A payout each week of half a year, paid two days later; few fail. */
export const simulatePayouts = (
  { ledger, random, nowSeconds }: { ledger: Ledger; random: Random; nowSeconds: number },
  currency: string,
): void => {
  for (let week = WEEKS; week > 0; week--) {
    ledger.at = nowSeconds - week * WEEK + random.int(3_600);
    const payout = createPayout(ledger, { amount: 50_000 + random.int(300_000), currency, automatic: true });
    ledger.at += TRANSIT;
    if (random.chance(0.04)) failPayout(ledger, payout, "account_closed");
    else payPayout(ledger, payout);
  }
};
