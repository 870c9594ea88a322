import { describe, expect, it } from "@jest/globals";
import { Coverage, CoverageQuery, coverageOf, daysOfMonth } from "../../../shared/completeness/coverage.ts";
import type { DaySums } from "../../../shared/completeness/day-sums.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";

const FIRST = Date.UTC(2026, 10, 1);
const DAY = (day: number): number => FIRST + (day - 1) * DAY_MS;

const sumsOf = (fields: Partial<DaySums> = {}): DaySums => ({
  recorded: 5,
  counted: 5,
  sealed: 5,
  archived: 5,
  notJudged: {},
  rules: { burst: [1] },
  ...fields,
});

describe("a month", () => {
  it.each(["2026-11", "2024-02", "1970-01", "9999-12"])("%s is accepted", (month) => {
    expect(CoverageQuery.safeParse({ month }).success).toBe(true);
  });
  it.each(["", "2026", "2026-1", "2026-13", "2026-00", "1969-12", "2026-11-01", "26-11", " 2026-11", undefined])(
    "%s is refused",
    (month) => {
      expect(CoverageQuery.safeParse({ month }).success).toBe(false);
    },
  );
  it.each([
    ["2026-11", "2026-11-30"],
    ["2024-02", "2024-02-29"],
    ["2026-12", "2026-12-31"],
  ])("%s ends with %s", (month, last) => {
    const days = daysOfMonth(month);
    expect(new Date(days.first).toISOString().slice(0, 10)).toBe(`${month}-01`);
    expect(new Date(days.last).toISOString().slice(0, 10)).toBe(last);
  });
});

describe("the coverage of a month", () => {
  it("has each day with its hours that were not judged, in order of time", () => {
    const day = sumsOf({ fed: 4, notJudged: { no_events: [1, 23], not_judged: [7], due: [22] } });
    const coverage = coverageOf("2026-11", new Map([[DAY(2), day]]), { from: DAY(2), now: DAY(3) + 5 * HOUR_MS });
    expect(coverage).toEqual({
      days: [
        {
          day: "2026-11-02",
          recorded: 5,
          counted: 5,
          sealed: 5,
          archived: 5,
          fed: 4,
          judgedHours: 20,
          notJudged: [
            { hour: DAY(2) + HOUR_MS, reason: "no_events" },
            { hour: DAY(2) + 7 * HOUR_MS, reason: "not_judged" },
            { hour: DAY(2) + 22 * HOUR_MS, reason: "due" },
            { hour: DAY(2) + 23 * HOUR_MS, reason: "no_events" },
          ],
        },
      ],
      rules: { burst: [1] },
      isWhole: true,
    });
    expect(Coverage.safeParse(coverage).success).toBe(true);
  });

  it("is not whole with a day whose sums are unequal", () => {
    const stored = new Map([
      [DAY(1), sumsOf()],
      [DAY(2), sumsOf({ problem: "unequal" })],
    ]);
    expect(coverageOf("2026-11", stored, { from: DAY(1), now: DAY(3) + 5 * HOUR_MS }).isWhole).toBe(false);
  });

  it("is not whole with a day that should have sums by now, and has none", () => {
    const stored = new Map([
      [DAY(1), sumsOf()],
      [DAY(3), sumsOf()],
    ]);
    expect(coverageOf("2026-11", stored, { from: DAY(1), now: DAY(3) + 14 * HOUR_MS }).isWhole).toBe(true);
    expect(coverageOf("2026-11", stored, { from: DAY(1), now: DAY(3) + 15 * HOUR_MS }).isWhole).toBe(false);
    expect(coverageOf("2026-11", stored, { from: DAY(3), now: DAY(4) + 15 * HOUR_MS }).isWhole).toBe(true);
    expect(coverageOf("2026-11", stored, { from: DAY(3), now: DAY(5) + 15 * HOUR_MS }).isWhole).toBe(false);
  });

  it.each([
    ["the future", "2027-01", DAY(1)],
    ["before the first sums", "2026-10", DAY(1)],
    ["an organization without sums", "2026-11", undefined],
  ])("of %s has no days", (_, month, from) => {
    const coverage = coverageOf(month, new Map(), { from, now: DAY(20) });
    expect(coverage).toEqual({ days: [], rules: {}, isWhole: true });
  });
});
