/**
 * Far more is refunded than before: by a stolen login, a dishonest member, or a program that has gone wrong.
 *
 * Reads: the counts and amounts of the hour's refunds.
 * Group: `refunds`.
 * Threshold: 10 refunds, and either a number whose Poisson tail is below 1e-6 against the own baseline of 28 days
 *   (surprise.ts), or an amount of at least 10 times the largest day of these 28 days, in the same currency. A currency
 *   without a refund in these days has no largest day.
 * Window: the hour, again when its counts grow within 48 hours.
 * Deduplication: one finding per hour.
 * Severity: HIGH: refunds move money out at once.
 * Reason: refunds to cards of the thief are a way to take money from an account that was taken over
 *   (https://attack.mitre.org/techniques/T1657/).
 */
import { DAY_MS, dayName, startOfDay, timeOfName } from "../../terms/hours.ts";
import { BASELINE_DAYS } from "../evidence/baseline.ts";
import { expectedMoney, type MoneyInput, moneySurprise } from "../evidence/money.ts";
import { roundExpected } from "../evidence/surprise.ts";
import { type Advice, findingOfHour, type Rule } from "./rule.ts";
import { improbability, valuesOf } from "./thresholds.ts";

const rule = "refund_burst";

/** `refunds`: the least refunds of a finding. */
const thresholds = {
  refunds: { default: 10, min: 2, max: 100_000, unit: "refunds an hour" },
  largestDays: { default: 10, min: 2, max: 1_000, unit: "times the largest day" },
  improbability,
} as const;

const kinds = {
  burst: { subject: "refunds", title: "Far more was refunded in an hour than usual", level: "HIGH" },
} as const;

const message =
  "Found after the hour, so it prevents nothing. At the provider, see who made these refunds, cancel those that are pending, and take the right to refund from that user or key.";

export const refundBurstAdvice: Advice = {
  level: "HIGH",
  action:
    "Compare the refunds with those that your team made; limit at the provider who may refund. This service finds a burst after the hour and prevents nothing.",
};

/** Evidence is stored in 2 KB. */
const MAX_CURRENCIES = 10;

/** The currencies of which the hour has too much, with the largest day of each. */
const beyondLargestDay = ({ hour, counts, history }: MoneyInput, times: number) => {
  const from = startOfDay(hour.start) - BASELINE_DAYS * DAY_MS;
  const days = history.days.filter(({ day }) => timeOfName(day) >= from && day < dayName(hour.start));
  return Object.entries(counts.amounts).flatMap(([currency, amount]) => {
    const largestDay = Math.max(0, ...days.map(({ amounts }) => amounts[currency] ?? 0));
    return largestDay > 0 && amount >= times * largestDay ? [{ currency, amount, largestDay }] : [];
  });
};

export const refundBurst = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  needs: (set) => ({ money: { refunds: valuesOf(thresholds, set).refunds } }),
  judgeMoney: (input, set) => {
    const { refunds: least, largestDays, improbability: power } = valuesOf(thresholds, set);
    const { hour, counts } = input;
    if (counts.refunds < least) return undefined;
    const surprise = moneySurprise(input, "refunds", { count: counts.refunds, least, improbability: power });
    const amounts = beyondLargestDay(input, largestDays);
    if (surprise === undefined && amounts.length === 0) return undefined;
    const finding = findingOfHour(hour, [], {
      rule,
      kind: kinds.burst,
      evidence: {
        count: counts.refunds,
        expected: roundExpected(expectedMoney(input, "refunds")),
        amounts: amounts.slice(0, MAX_CURRENCIES),
        threshold: least,
        windowMs: hour.end - hour.start,
      },
    });
    return { ...finding, message };
  },
} satisfies Rule;
