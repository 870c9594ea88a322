import type { FindingRule } from "../../../shared/security/alerts/finding.ts";
import { HOUR, MINUTE } from "../events.ts";
import { createMoneyEvents } from "../money-events.ts";
import type { Label, Script, Stage } from "./episode.ts";

const label = (rule: FindingRule, subject: string, { at }: Stage): Label => ({
  rule,
  subject,
  from: at,
  to: at + HOUR,
});

/** Ids that differ from those of the organization's own payments. */
const eventsOf = ({ at }: Stage) => createMoneyEvents(`attack_${at}_`);

/** Small payments by stolen cards; in half of the attacks some of them succeed. */
const cardsTested: Script = (stage) => {
  const { at, dice } = stage;
  const made = eventsOf(stage);
  const failed = dice.times(dice.integer(150, 600), 50 * MINUTE).map((time) => made.failed(at + time, { amount: 100 }));
  const works = dice.chance(0.5) ? dice.integer(15, 40) : 0;
  const succeeded = dice.times(works, 50 * MINUTE).map((time) => made.succeeded(at + time, { amount: 100 }));
  const found = label("card_testing", "payments", stage);
  return {
    events: [],
    money: [...failed, ...succeeded],
    labels: [works > 0 ? { ...found, level: "CRITICAL" } : found],
  };
};

const manyRefunds: Script = (stage) => {
  const { at, dice } = stage;
  const made = eventsOf(stage);
  const times = dice.times(dice.integer(40, 120), 40 * MINUTE);
  return {
    events: [],
    money: times.map((time) => made.refund(at + time)),
    labels: [label("refund_burst", "refunds", stage)],
  };
};

/** Few refunds of great amounts. */
const largeRefunds: Script = (stage) => {
  const { at, dice } = stage;
  const made = eventsOf(stage);
  const times = dice.times(dice.integer(10, 15), 40 * MINUTE);
  return {
    events: [],
    money: times.map((time) => made.refund(at + time, 5_000_000)),
    labels: [label("refund_burst", "refunds", stage)],
  };
};

const disputesRise: Script = (stage) => {
  const { at, dice, profile } = stage;
  const made = eventsOf(stage);
  const count = 3 + Math.ceil(profile.payments * 24 * 7 * 0.02);
  return {
    events: [],
    money: dice.times(count, 50 * MINUTE).map((time) => made.dispute(at + time)),
    // Further disputes belong to the rise for the 7 days that it is in the window.
    labels: [{ ...label("dispute_rise", "disputes", stage), to: at + 7 * 24 * HOUR }],
  };
};

const issuersWarn: Script = (stage) => {
  const made = eventsOf(stage);
  const payments = ["first", "second", "third"].map((name) => `pi_${name}_${stage.at}`);
  return {
    events: [],
    money: payments.map((payment, index) => made.warning(stage.at + index * MINUTE, payment)),
    labels: payments.map((payment) => label("early_fraud_warning", `warning:${payment}`, stage)),
  };
};

export const moneyAttacks: Record<string, Script> = {
  cardsTested,
  manyRefunds,
  largeRefunds,
  disputesRise,
  issuersWarn,
};
