import type { Random } from "../../core/random.ts";
import type { Ledger } from "../operations/ledger.ts";
import { closeDispute, disputeCharge, refundCharge } from "../operations/payments.ts";

const DAY = 86_400;

/** Refunds a few charges and disputes very few, some days after the charge. Restores the ledger's time. */
export const simulateCharge = (
  history: { ledger: Ledger; random: Random; nowSeconds: number },
  chargeId: string | null,
): void => {
  const { ledger, random, nowSeconds } = history;
  const charge = ledger.find("charge", chargeId);
  const isRefunded = random.chance(0.02);
  const isDisputed = !isRefunded && random.chance(0.005);
  if (charge === undefined || (!isRefunded && !isDisputed)) return;
  const before = ledger.at;
  ledger.at = Math.min(before + 60 + random.int(6 * DAY), nowSeconds);
  if (isRefunded)
    refundCharge(ledger, charge, { amount: random.chance(0.3) ? Math.ceil(charge.amount / 2) : undefined });
  else {
    const dispute = disputeCharge(ledger, charge);
    ledger.at += 20 * DAY;
    if (ledger.at < nowSeconds) closeDispute(ledger, dispute, random.chance(0.5) ? "won" : "lost");
  }
  ledger.at = before;
};
