/** What a preview says in the console. */
import { describe, expect, it } from "@jest/globals";
import type { PreviewResult } from "../../../functions/console/app/api/types.ts";
import {
  comparison,
  dayColumns,
  isUnderWay,
  summary,
} from "../../../functions/console/app/views/previews/preview-words.ts";

const none = { alerts: 0, byLevel: {}, byDay: {}, notifications: 0, atNight: 0 };
const now = { alerts: 4, byLevel: { HIGH: 4 }, byDay: { "2026-11-21": 4 }, notifications: 11, atNight: 11 };
const result = (then: PreviewResult["then"], changes: Partial<PreviewResult> = {}): PreviewResult => ({
  from: Date.UTC(2026, 10, 20),
  to: Date.UTC(2026, 10, 22, 5),
  now,
  then,
  added: [],
  removed: [],
  withheld: [],
  ...changes,
});

describe("a preview", () => {
  it("says what would change, number by number", () => {
    const then = { ...now, alerts: 1, byLevel: { MEDIUM: 1 }, notifications: 3, atNight: 3 };
    expect(comparison(result(then))).toEqual([
      ["Findings", "1 instead of 4"],
      ["Of level high", "0 instead of 4"],
      ["Of level medium", "1 instead of 0"],
      ["Notifications", "3 instead of 11"],
      ["At night (22:00 to 07:00 UTC)", "3 instead of 11"],
    ]);
    expect(summary(result(then))).toBe(
      "It would have made 1 instead of 4 findings, and sent 3 instead of 11 notifications.",
    );
    expect(summary(result({ ...now, notifications: 0 }))).toBe(
      "It would have made 4 findings as now, and sent 0 instead of 11 notifications.",
    );
    expect(summary(result(now))).toBe("It would have changed nothing.");
  });

  it("has a column for each UTC day", () => {
    expect(dayColumns(result(none)).map(({ label, total, bad }) => [label, total, bad])).toEqual([
      ["Nov 20", 0, 0],
      ["Nov 21", 4, 0],
      ["Nov 22", 0, 0],
    ]);
  });

  it("is under way until it has succeeded or failed", () => {
    expect((["queued", "running", "succeeded", "failed"] as const).map((status) => isUnderWay({ status }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
