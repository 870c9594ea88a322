/**
 * The card's issuer reports a payment as fraud, before there is a dispute.
 *
 * Reads: each early fraud warning, at once, when it is counted.
 * Group: `warning:…` with the payment intent, else the charge.
 * Threshold: each.
 * Deduplication: one finding per warning.
 * Severity: MEDIUM; HIGH from the third warning of a UTC day on, in the order of counting. The first two stay MEDIUM.
 * Reason: most of these payments are disputed unless they are refunded first:
 *   https://docs.stripe.com/disputes/measuring#early-fraud-warnings
 */
import type { Finding } from "../../security/alerts/finding.ts";
import type { FraudWarning } from "../evidence/money.ts";
import type { Advice, Rule } from "./rule.ts";
import { type ThresholdValues, valuesOf } from "./thresholds.ts";

const rule = "early_fraud_warning";

/** `highFrom`: the place in the day from which on a warning is HIGH. */
const thresholds = { highFrom: { default: 3, min: 1, max: 10, unit: "warnings a UTC day" } } as const;

const kinds = {
  warning: { subject: "warning:", title: "The card's issuer reports a payment as fraud", level: "MEDIUM" },
  several: { subject: "warning:", title: "Card issuers report several payments of a day as fraud", level: "HIGH" },
} as const;

const message =
  "The payment has been made: this prevents nothing. Refund it before it becomes a dispute, do not deliver, and block the card or the customer at the provider (Radar lists and rules).";

export const earlyFraudWarningAdvice: Advice = {
  level: "HIGH",
  action:
    "Refund payments that issuers report as fraud before they become disputes, and block their cards and customers at the provider (Radar lists and rules).",
};

export const earlyFraudWarning = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  judgeWarning: ({ eventId, at, payment, place }: FraudWarning, set?: ThresholdValues): Finding => {
    const { highFrom } = valuesOf(thresholds, set);
    const { subject, title, level } = place >= highFrom ? kinds.several : kinds.warning;
    return {
      rule,
      subject: subject + payment,
      title,
      level,
      message,
      occurrence: eventId,
      eventIds: [],
      evidence: { count: 1, placeOfDay: place, threshold: highFrom },
      firstSeen: at,
      lastSeen: at,
    };
  },
} satisfies Rule;
