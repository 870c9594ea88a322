import { createMoneyEvents } from "../../../detection/money-events.ts";
import { type Cases, minute, times } from "./case.ts";

const DAY_MINUTES = 24 * 60;
const made = createMoneyEvents();
const failed = (count: number, at = 0) => times(count).map((i) => made.failed(minute(at) + i * 1_000));
const abandoned = (count: number, at = 0) =>
  times(count).map((i) => made.failed(minute(at) + i * 1_000, { failureCode: "authentication_required" }));
const small = (count: number, at = 0) =>
  times(count).map((i) => made.succeeded(minute(at) + i * 1_000, { amount: 100 }));
const found = (count: number, level = "HIGH", hour = 0) => ({ hour, subject: "payments", level, count });

/** Days of 20 successes and some failures at noon, before START. */
const days = (count: number, failures: number, succeeded = 20) =>
  times(count).flatMap((back) => {
    const at = -(back + 1) * DAY_MINUTES;
    return [...failed(failures, at), ...times(succeeded).map((i) => made.succeeded(minute(at) + i * 1_000))];
  });

export const cardTestingCases: Cases = {
  rule: "card_testing",
  cases: [
    {
      title: "29 failed payments",
      events: [],
      money: failed(29),
      finds: [],
    },
    {
      title: "30 failed payments of a new organization, against its prior",
      events: [],
      money: failed(30),
      finds: [found(30)],
      evidence: { expected: 2, declinedOrSmall: 30, threshold: 30, succeeded: 0 },
    },
    {
      title: "30 within two hours",
      events: [],
      money: [...failed(15), ...failed(15, 60)],
      finds: [],
    },
    {
      title: "30 of which some come twice",
      events: [],
      money: failed(20).flatMap((event) => [event, event]),
      finds: [],
    },
    {
      title: "as many as in the busiest hour of the weeks before",
      events: [],
      money: [...days(27, 40), ...failed(40)],
      finds: [found(40, "HIGH", -27 * 24)],
    },
    {
      title: "far more than in the busiest hour of the weeks before",
      events: [],
      money: [...days(27, 20), ...failed(60)],
      finds: [found(60)],
    },
    {
      title: "failures that are neither declined nor small count half",
      events: [],
      money: [...days(27, 20), ...abandoned(60)],
      finds: [],
    },
    {
      title: "small ones count whole, whatever the code",
      events: [],
      money: [
        ...days(27, 20),
        ...times(60).map((i) => made.failed(minute(0) + i * 1_000, { failureCode: "other", amount: 500 })),
      ],
      finds: [found(60)],
    },
    {
      title: "a day of billing: more failures with as many more successes",
      events: [],
      money: [...days(27, 4, 100), ...failed(35), ...times(900).map((i) => made.succeeded(minute(0) + i * 1_000))],
      finds: [],
    },
    {
      title: "CRITICAL if a payment that failed succeeds",
      events: [],
      money: [
        ...failed(30),
        made.failed(minute(20), { payment: "pi_x" }),
        made.succeeded(minute(21), { payment: "pi_x" }),
      ],
      finds: [found(31, "CRITICAL")],
      evidence: { succeededAfterFailure: 1 },
    },
    {
      title: "2 small successes",
      events: [],
      money: [...failed(30), ...small(2, 5)],
      finds: [found(30)],
    },
    {
      title: "CRITICAL with 3 small successes",
      events: [],
      money: [...failed(30), ...small(3, 5)],
      finds: [found(30, "CRITICAL")],
      evidence: { smallSucceeded: 3 },
    },
    {
      title: "small successes as every day",
      events: [],
      money: [...times(10).flatMap((back) => small(6, -(back + 1) * DAY_MINUTES)), ...failed(30), ...small(8, 5)],
      finds: [found(30)],
    },
    {
      title: "again in a later hour of the day, if it goes on",
      events: [],
      money: [...failed(30), ...failed(400, 60)],
      finds: [found(30), found(400, "HIGH", 1)],
    },
  ],
};
