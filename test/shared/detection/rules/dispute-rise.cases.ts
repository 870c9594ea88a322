import { createMoneyEvents } from "../../../detection/money-events.ts";
import { type Cases, minute, times } from "./case.ts";

const HOURS_7_DAYS = 7 * 24;
const made = createMoneyEvents();
const disputes = (count: number, hour = 0) => times(count).map((i) => made.dispute(minute(hour * 60) + i * 1_000));
const succeeded = (count: number, hour = -2) => times(count).map((i) => made.succeeded(minute(hour * 60) + i));
const found = (count: number, hour = 0) => ({ hour, subject: "disputes", level: "HIGH", count });

export const disputeRiseCases: Cases = {
  rule: "dispute_rise",
  cases: [
    { title: "2 disputes", events: [], money: disputes(2), finds: [] },
    {
      title: "3 disputes and no payment",
      events: [],
      money: disputes(3),
      finds: [found(3)],
      evidence: { succeeded: 0, threshold: 3, share: 75 },
    },
    { title: "3 of 400 payments: 0.75 %", events: [], money: [...succeeded(400), ...disputes(3)], finds: [] },
    { title: "3 of 399 payments", events: [], money: [...succeeded(399), ...disputes(3)], finds: [found(3)] },
    {
      title: "the third after nearly 7 days, once",
      events: [],
      money: [...disputes(2, -(HOURS_7_DAYS - 1)), ...succeeded(10, 1), ...disputes(1)],
      finds: [found(3)],
    },
    {
      title: "the third after more than 7 days",
      events: [],
      money: [...disputes(2, -HOURS_7_DAYS), ...disputes(1)],
      finds: [],
    },
    {
      title: "payments from before the 7 days do not count",
      events: [],
      money: [...succeeded(1_000, -HOURS_7_DAYS), ...disputes(3)],
      finds: [found(3)],
    },
    {
      title: "again with each further dispute",
      events: [],
      money: [...disputes(3), ...disputes(1, 2)],
      finds: [found(3), found(4, 2)],
    },
  ],
};
