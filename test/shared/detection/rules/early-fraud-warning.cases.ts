import { createMoneyEvents } from "../../../detection/money-events.ts";
import { type Cases, minute } from "./case.ts";

const made = createMoneyEvents();
const found = (payment: string, level = "MEDIUM", hour = 0) => ({
  hour,
  subject: `warning:${payment}`,
  level,
  count: 1,
});
const first = made.warning(minute(0), "pi_1");

export const earlyFraudWarningCases: Cases = {
  rule: "early_fraud_warning",
  cases: [
    {
      title: "each of the first two of a day, once",
      events: [],
      money: [first, made.warning(minute(1), "ch_2"), first],
      finds: [found("pi_1"), found("ch_2")],
      evidence: { placeOfDay: 1, threshold: 3 },
    },
    {
      title: "HIGH from the third of a UTC day on",
      events: [],
      money: [
        made.warning(minute(0), "pi_1"),
        made.warning(minute(1), "pi_2"),
        made.warning(minute(2), "pi_3"),
        made.warning(minute(70), "pi_4"),
      ],
      finds: [found("pi_1"), found("pi_2"), found("pi_3", "HIGH"), found("pi_4", "HIGH", 1)],
    },
    {
      title: "a new day begins anew",
      events: [],
      money: [made.warning(minute(0), "pi_1"), made.warning(minute(1), "pi_2"), made.warning(minute(14 * 60), "pi_3")],
      finds: [found("pi_1"), found("pi_2"), found("pi_3", "MEDIUM", 14)],
    },
    {
      title: "payments that fail and are refunded are no warnings",
      events: [],
      money: [made.failed(minute(0)), made.refund(minute(1))],
      finds: [],
    },
  ],
};
