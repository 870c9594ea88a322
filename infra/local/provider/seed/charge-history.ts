import type { Random } from "../../core/random.ts";
import type { ObjectOf } from "../objects/objects.ts";
import type { Ledger } from "../operations/ledger.ts";
import { closeDispute, disputeCharge, refundCharge } from "../operations/payments.ts";

const DAY = 86_400;

type History = { ledger: Ledger; random: Random; nowSeconds: number };
/** In addition to those of the history, of each charge. */
export type Claims = { refundsPerCharge: number; disputesPerCharge: number };

/** Refunds a few charges and disputes very few, some days after the charge. Restores the ledger's time. */
export const simulateCharge = ({ ledger, random, nowSeconds }: History, chargeId: string | null): void => {
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

/** Refunds a charge by the least amount and disputes it, as often as wanted. A charge without an amount left stays as it is. */
export const claimCharge = (
  { ledger, random, nowSeconds }: History,
  charge: ObjectOf<"charge">,
  claims: Claims,
): void => {
  if (charge.status !== "succeeded" || charge.amount - charge.amountRefunded < claims.refundsPerCharge) return;
  ledger.at = Math.min(charge.created + 60 + random.int(6 * DAY), nowSeconds);
  for (let i = 0; i < claims.refundsPerCharge; i++) refundCharge(ledger, charge, { amount: 1 });
  for (let i = 0; i < claims.disputesPerCharge; i++) disputeCharge(ledger, charge);
};
