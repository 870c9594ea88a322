import { describe, expect, it } from "@jest/globals";
import type { DayCounts } from "../../../shared/money/money-counts.ts";
import { moneyRows } from "../../../shared/money/money-days.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 28, 13);
const dayAt = (back: number) => new Date(NOW - back * DAY_MS).toISOString().slice(0, 10);
const counted = (back: number, counts: Partial<DayCounts> = {}): DayCounts => ({
  day: dayAt(back),
  succeeded: 0,
  failed: 0,
  refunds: 0,
  disputes: 0,
  warnings: 0,
  payouts: 0,
  amounts: {},
  ...counts,
});

describe("the rows of days", () => {
  it("are one for each day, newest first, with null before a day of baseline", () => {
    const rows = moneyRows([counted(1, { failed: 24, refunds: 2, amounts: { eur: 5 } })], 3, NOW);
    expect(rows.map(({ day }) => day)).toEqual(["2026-11-28", "2026-11-27", "2026-11-26"]);
    expect(rows[1]).toMatchObject({ payments: { failed: 24 }, refunds: { count: 2, amounts: { eur: 5 } } });
    expect(rows[1]?.expected).toEqual({ failed: null, refunds: null });
    // The prior of two hours counts too: (24 + 4) / 26 an hour.
    expect(rows[0]?.expected).toEqual({ failed: 25.846, refunds: 3.692 });
  });

  it("expect the mean of the days before once there are seven, with days without an event", () => {
    const days = [counted(8, { failed: 80 }), counted(2, { failed: 8 })];
    expect(moneyRows(days, 1, NOW)[0]?.expected).toEqual({ failed: 11, refunds: 0 });
  });

  it("compare with 28 days at most", () => {
    const days = [counted(29, { failed: 1_000 }), counted(28, { failed: 28 })];
    expect(moneyRows(days, 1, NOW)[0]?.expected.failed).toBe(1);
  });
});
