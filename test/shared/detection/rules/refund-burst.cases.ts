import { createMoneyEvents } from "../../../detection/money-events.ts";
import { type Cases, minute, times } from "./case.ts";

const DAY_MINUTES = 24 * 60;
const made = createMoneyEvents();
const refunds = (count: number, at = 0, amount = 2_000, currency = "eur") =>
  times(count).map((i) => made.refund(minute(at) + i * 1_000, amount, currency));
const days = (count: number, each: number, amount?: number, currency?: string) =>
  times(count).flatMap((back) => refunds(each, -(back + 1) * DAY_MINUTES, amount, currency));
const found = (count: number, hour = 0) => ({ hour, subject: "refunds", level: "HIGH", count });

export const refundBurstCases: Cases = {
  rule: "refund_burst",
  cases: [
    { title: "9 refunds", events: [], money: refunds(9), finds: [] },
    {
      title: "10 refunds of a new organization, against its prior",
      events: [],
      money: refunds(10),
      finds: [found(10)],
      evidence: { expected: 1, threshold: 10, amounts: [] },
    },
    {
      title: "as many as in the busiest hour of the weeks before",
      events: [],
      money: [...days(20, 9), ...refunds(12)],
      finds: [],
    },
    {
      title: "no more than before, but ten times the amount of the largest day",
      events: [],
      money: [...days(20, 9, 100), ...refunds(12, 0, 750)],
      finds: [found(12)],
      evidence: { amounts: [{ currency: "eur", amount: 9_000, largestDay: 900 }] },
    },
    {
      title: "a little less than ten times the amount",
      events: [],
      money: [...days(20, 9, 100), ...refunds(12, 0, 749)],
      finds: [],
    },
    {
      title: "ten times the amount of a day that is 29 days ago",
      events: [],
      money: [...refunds(9, -29 * DAY_MINUTES, 100), ...days(20, 9, 1_000), ...refunds(12, 0, 1_000)],
      finds: [],
    },
    {
      title: "a currency without refunds before has no largest day",
      events: [],
      money: [...days(20, 9, 100), ...refunds(12, 0, 9_000, "usd")],
      finds: [],
    },
    {
      title: "9 refunds of a great amount",
      events: [],
      money: [...days(20, 5, 100), ...refunds(9, 0, 90_000)],
      finds: [],
    },
  ],
};
