import { describe, expect, it } from "@jest/globals";
import { HourCounts } from "../../../shared/money/money-counts.ts";
import { createPastMoney, noMoney } from "../../../shared/previews/past-money.ts";

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 21, 10);
const failed = (count: number) => HourCounts.parse({ failed: count, probing: count });
const settings = (rule: string, thresholds: Record<string, number>) => ({
  [rule]: { enabled: true, thresholds, known: { networks: [], users: [] }, revision: 1 },
});

describe("the money of a preview", () => {
  const hours: [number, HourCounts][] = [
    [START, failed(40)],
    [START + 2 * HOUR_MS, failed(400)],
  ];
  const warning = { eventId: "evt_1", at: START + 7_000, payment: "pi_1", place: 3 };
  const money = createPastMoney({ days: [], hours, warnings: [warning] });
  const found = (start: number, all = {}) =>
    money.judge(start, all).map(({ finding: { rule, level }, raisedAt }) => [rule, level, raisedAt - start]);

  it("is judged hour by hour with the settings, each hour by those before it", () => {
    expect(found(START)).toEqual([
      ["card_testing", "HIGH", HOUR_MS + 360_000],
      ["early_fraud_warning", "HIGH", 7_000],
    ]);
    expect(found(START, settings("card_testing", { failed: 41 })).map(([rule]) => rule)).toEqual([
      "early_fraud_warning",
    ]);
    expect(found(START, settings("early_fraud_warning", { highFrom: 4 })).map(([, level]) => level)).toEqual([
      "HIGH",
      "MEDIUM",
    ]);
    const [later] = money.judge(START + 2 * HOUR_MS, {});
    expect(later?.finding.evidence).toMatchObject({ count: 400, expected: 40 });
    expect(found(START + HOUR_MS)).toEqual([]);
  });

  it("has hours with counts or warnings", () => {
    const only = createPastMoney({ ...noMoney, warnings: [warning] });
    expect([0, 1, 2].map((hour) => money.has(START + hour * HOUR_MS))).toEqual([true, false, true]);
    expect([only.has(START), only.has(START + HOUR_MS)]).toEqual([true, false]);
  });
});
