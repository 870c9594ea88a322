/**
 * Disputes rise towards the share at which card networks fine a merchant.
 *
 * Reads: the disputes and succeeded payments of the 7 days that end with the hour.
 * Group: `disputes`.
 * Threshold: 3 disputes, and more than 0.75 % of the succeeded payments of the same days; without any, 3 disputes suffice.
 *   An hour without a dispute has no finding: its last evidence was in an earlier hour.
 * Window: 7 days, by whole hours; again when the hour's counts grow within 48 hours.
 * Deduplication: one finding per hour.
 * Severity: HIGH.
 * Reason: from 0.75 % on, networks count disputes as excessive: https://docs.stripe.com/disputes/monitoring-programs
 */
import { DAY_MS } from "../../terms/hours.ts";
import { sumOver } from "../evidence/money.ts";
import { type Advice, findingOfHour, type Rule } from "./rule.ts";
import { valuesOf } from "./thresholds.ts";

const rule = "dispute_rise";

const thresholds = {
  disputes: { default: 3, min: 1, max: 10_000, unit: "disputes in 7 days" },
  share: { default: 75, min: 1, max: 10_000, unit: "hundredths of a percent of the succeeded payments" },
} as const;

const kinds = {
  rise: { subject: "disputes", title: "Disputes are too large a share of the payments of 7 days", level: "HIGH" },
} as const;

const WINDOW_MS = 7 * DAY_MS;
const SHARE_UNITS = 10_000;

const message =
  "Found after the fact, so it prevents nothing. Answer the disputes before their deadline, refund what is fraud, and block at the provider: Radar rules for what the disputed payments have in common.";

export const disputeRiseAdvice: Advice = {
  level: "HIGH",
  action:
    "Answer the disputes in time, and block at the provider (Radar rules) what they have in common. Card networks fine merchants whose share stays high.",
};

export const disputeRise = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  needs: () => ({ money: { disputes: 1 } }),
  judgeMoney: (input, set) => {
    const { disputes: least, share } = valuesOf(thresholds, set);
    if (input.counts.disputes === 0) return undefined;
    const disputes = sumOver(input, (counts) => counts.disputes, WINDOW_MS);
    const succeeded = sumOver(input, (counts) => counts.succeeded, WINDOW_MS);
    if (disputes < least || disputes * SHARE_UNITS <= share * succeeded) return undefined;
    const finding = findingOfHour(input.hour, [], {
      rule,
      kind: kinds.rise,
      evidence: { count: disputes, succeeded, threshold: least, share, windowMs: WINDOW_MS },
    });
    return { ...finding, message };
  },
} satisfies Rule;
