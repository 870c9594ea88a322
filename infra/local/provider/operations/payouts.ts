import type { ObjectOf } from "../objects/objects.ts";
import type { Ledger } from "./ledger.ts";

type Payout = ObjectOf<"payout">;

const TRANSIT_SECONDS = 2 * 86_400;

/** The account's balance is on its way to its bank. */
export const createPayout = (ledger: Ledger, payout: Pick<Payout, "amount" | "currency" | "automatic">): Payout =>
  ledger.create<"payout">(
    {
      object: "payout",
      id: ledger.newId("po_1", 23),
      created: ledger.at,
      deleted: false,
      status: "in_transit",
      method: "standard",
      arrivalDate: ledger.at + TRANSIT_SECONDS,
      failureCode: null,
      ...payout,
    },
    "payout.created",
  );

export const payPayout = (ledger: Ledger, payout: Payout): void =>
  ledger.change<"payout">(payout, { status: "paid" }, "payout.paid");

export const failPayout = (ledger: Ledger, payout: Payout, failureCode: string): void =>
  ledger.change<"payout">(payout, { status: "failed", failureCode }, "payout.failed");
