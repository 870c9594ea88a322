import { describe, expect, it } from "@jest/globals";
import type { RulesSettings } from "../../../../shared/detection/rule-settings.ts";
import {
  judgeFraudWarning,
  judgeMoneyHour,
  moneyRules,
  needsMoneyHistory,
} from "../../../../shared/detection/rules/rules.ts";
import { type DayCounts, HourCounts } from "../../../../shared/money/money-counts.ts";
import { DAY, HOUR } from "../../../detection/events.ts";

const START = Date.UTC(2026, 10, 21, 10);

const set = (rule: string, settings: Partial<RulesSettings[string]>): RulesSettings => ({
  [rule]: { enabled: true, thresholds: {}, known: { networks: [], users: [] }, revision: 1, ...settings },
});

const day = (back: number, counts: Partial<DayCounts>): DayCounts => ({
  day: new Date(START - back * DAY).toISOString().slice(0, 10),
  succeeded: 0,
  failed: 0,
  refunds: 0,
  disputes: 0,
  warnings: 0,
  payouts: 0,
  amounts: {},
  ...counts,
});

const judge = (counts: Partial<HourCounts>, settings: RulesSettings, days: readonly DayCounts[] = []) =>
  judgeMoneyHour(
    {
      hour: { start: START, end: START + HOUR },
      counts: HourCounts.parse(counts),
      history: { days, hours: new Map() },
    },
    settings,
  );

type Example = {
  threshold: string;
  low: number;
  high: number;
  counts: Partial<HourCounts>;
  days?: readonly DayCounts[];
};

/** For each threshold an hour that has a finding, or a graver one, with `low`, and not with `high`. */
const examples: Readonly<Record<string, readonly Example[]>> = {
  card_testing: [
    { threshold: "failed", low: 20, high: 21, counts: { failed: 20, probing: 20 } },
    { threshold: "successes", low: 5, high: 6, counts: { failed: 30, probing: 30, small: 5, succeeded: 5 } },
    {
      threshold: "improbability",
      low: 6,
      high: 12,
      counts: { failed: 30, probing: 30 },
      days: [day(10, { failed: 2_400 })],
    },
  ],
  refund_burst: [
    { threshold: "refunds", low: 12, high: 13, counts: { refunds: 12 } },
    {
      threshold: "largestDays",
      low: 20,
      high: 21,
      counts: { refunds: 10, amounts: { eur: 2_000 } },
      days: [day(10, { refunds: 2_400, amounts: { eur: 100 } })],
    },
    { threshold: "improbability", low: 6, high: 7, counts: { refunds: 10 } },
  ],
  dispute_rise: [
    { threshold: "disputes", low: 5, high: 6, counts: { disputes: 5 } },
    { threshold: "share", low: 99, high: 100, counts: { disputes: 5, succeeded: 500 } },
  ],
};

describe.each(moneyRules)("the settings of $id", ({ id, thresholds }) => {
  const [first] = examples[id] ?? [];
  const counts = first?.counts ?? {};
  const least = first === undefined ? {} : { thresholds: { [first.threshold]: first.low } };

  it("have an example of each threshold", () => {
    expect(examples[id]?.map(({ threshold }) => threshold)).toEqual(Object.keys(thresholds));
  });

  it.each(examples[id] ?? [])("count: $threshold", (example) => {
    const found = (value: number) =>
      JSON.stringify(
        judge(example.counts, set(id, { thresholds: { [example.threshold]: value } }), example.days).map(
          ({ title }) => title,
        ),
      );
    expect(found(example.low)).not.toBe(found(example.high));
    expect(found(example.low)).not.toBe("[]");
  });

  it("replace levels below CRITICAL, and switch the rule off, which then needs no history", () => {
    expect(judge(counts, set(id, { level: "LOW", ...least })).map(({ level }) => level)).toEqual(["LOW"]);
    expect(judge(counts, set(id, { enabled: false, ...least }))).toEqual([]);
    const of = (settings: object) => needsMoneyHistory(HourCounts.parse(counts), set(id, settings));
    expect([of(least), of({ enabled: false, ...least })]).toEqual([true, false]);
  });
});

describe("the settings of early_fraud_warning", () => {
  it("count: the place from which on a warning is HIGH, its level, and whether it is on", () => {
    const warning = { eventId: "evt_1", at: START, payment: "pi_1", place: 2 };
    const level = (settings: object) => judgeFraudWarning(warning, set("early_fraud_warning", settings))?.level;
    expect(level({})).toBe("MEDIUM");
    expect(level({ thresholds: { highFrom: 2 } })).toBe("HIGH");
    expect(level({ level: "LOW" })).toBe("LOW");
    expect(level({ enabled: false })).toBeUndefined();
  });
});
