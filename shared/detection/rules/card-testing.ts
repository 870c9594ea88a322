/**
 * Somebody tries stolen cards at the organization's checkout: far more payments fail than before.
 *
 * Reads: the counts of the hour's payments, which failed, were declined, small, or succeeded after a failure.
 * Group: `payments`.
 * Threshold: 30 failed payments whose Poisson tail is below 1e-6 against the own baseline of 28 days (surprise.ts). In that
 *   number a failure that is neither declined nor small counts half: a customer who gives up at 3-D Secure tests no card.
 *   An hour with more payments has more failures: the baseline's failures for each success are expected, too.
 * Window: the hour, again when its counts grow within 48 hours.
 * Deduplication: one finding per hour, and one more if it becomes CRITICAL later.
 * Severity: HIGH; CRITICAL if some succeed: a payment that failed in the hour, or 3 small ones beyond the expected. Then the
 *   cards work, and disputes follow.
 * Reason: https://docs.stripe.com/disputes/prevention/card-testing; Monetary fraud by automated payments is OAT-001, carding
 *   (https://owasp.org/www-project-automated-threats-to-web-applications/assets/oats/EN/OAT-001_Carding).
 */
import { moneyBaseline } from "../../money/money-baseline.ts";
import { expectedMoney, type MoneyInput, moneySurprise } from "../evidence/money.ts";
import { poissonTail, roundExpected } from "../evidence/surprise.ts";
import { type Advice, findingOfHour, type Rule } from "./rule.ts";
import { improbability, valuesOf } from "./thresholds.ts";

const rule = "card_testing";

/** `failed`: the least failed payments of a finding. `successes`: the small ones beyond the expected that make it CRITICAL. */
const thresholds = {
  failed: { default: 30, min: 10, max: 100_000, unit: "failed payments an hour" },
  successes: { default: 3, min: 1, max: 1_000, unit: "small payments an hour" },
  improbability,
} as const;

const kinds = {
  tested: { subject: "payments", title: "Far more payments failed than usual: cards may be tested", level: "HIGH" },
  worked: { subject: "payments", title: "Cards are tested, and some payments succeeded", level: "CRITICAL" },
} as const;

const message =
  "Found after the hour, so it prevents nothing. Block at the provider: Radar rules (block by card, address or velocity), a CAPTCHA or rate limit at your checkout, no public page that creates payments.";

/** The failures for each success say something from this baseline on. */
const SHARE_FROM_HOURS = 7 * 24;
const SHARE_FROM_SUCCEEDED = 100;

/** The failures that the hour's successes make expected. */
const expectedBySuccesses = ({ hour, counts, history }: MoneyInput): number => {
  const succeeded = moneyBaseline(history, "succeeded", hour.start);
  if (succeeded.hours < SHARE_FROM_HOURS || succeeded.calls < SHARE_FROM_SUCCEEDED) return 0;
  const failed = moneyBaseline(history, "failed", hour.start);
  return (failed.calls / succeeded.calls) * counts.succeeded;
};

export const cardTestingAdvice: Advice = {
  level: "HIGH",
  action:
    "Block card testing at the provider: Radar rules, and a CAPTCHA or rate limit at the checkout. This service finds it after the hour and prevents nothing.",
};

export const cardTesting = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  needs: (set) => ({ money: { failed: valuesOf(thresholds, set).failed } }),
  judgeMoney: (input, set) => {
    const { failed: least, successes, improbability: power } = valuesOf(thresholds, set);
    const { hour, counts } = input;
    const { failed, probing, small, retried, succeeded } = counts;
    if (failed < least) return undefined;
    const weighted = probing + Math.floor((failed - probing) / 2);
    const surprise = moneySurprise(input, "failed", { count: weighted, least: 1, improbability: power });
    const bySuccesses = expectedBySuccesses(input);
    if (surprise === undefined || poissonTail(weighted, bySuccesses) >= 10 ** -power) return undefined;
    const beyond = small - expectedMoney(input, "small");
    const kind = retried > 0 || beyond >= successes ? kinds.worked : kinds.tested;
    const finding = findingOfHour(hour, [], {
      rule,
      kind,
      evidence: {
        count: failed,
        declinedOrSmall: probing,
        expected: roundExpected(Math.max(surprise.expected, bySuccesses)),
        probability: Number(surprise.probability.toPrecision(3)),
        succeeded,
        smallSucceeded: small,
        succeededAfterFailure: retried,
        threshold: least,
        windowMs: hour.end - hour.start,
      },
    });
    // The rise to CRITICAL is counted although the hour was counted before.
    const occurrence = kind === kinds.worked ? `${finding.occurrence}/succeeded` : finding.occurrence;
    return { ...finding, occurrence, message };
  },
} satisfies Rule;
