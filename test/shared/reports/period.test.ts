import { describe, expect, it } from "@jest/globals";
import {
  periodOf,
  periodOfReportId,
  periodsOfDay,
  reportId,
  reportKinds,
  startOfWeek,
} from "../../../shared/reports/period.ts";
import { contentKey, dueKey, entryKey, periodOfKey } from "../../../shared/reports/report-keys.ts";
import { DAY_MS } from "../../../shared/terms/hours.ts";
import { fc } from "../../support/fixed-seed.ts";
import { MONDAY, SATURDAY } from "./samples.ts";

const anyTime = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });

describe("a period", () => {
  it("is a UTC day, a week from Monday to Sunday, or a calendar month", () => {
    expect(periodOf("compliance", SATURDAY + 1)).toEqual({ kind: "compliance", from: SATURDAY, to: SATURDAY + DAY_MS });
    expect(periodOf("review", SATURDAY)).toEqual({ kind: "review", from: MONDAY, to: MONDAY + 7 * DAY_MS });
    expect(periodsOfDay(MONDAY + 7 * DAY_MS - 1).map(reportId)).toEqual([
      "compliance-2026-11-22",
      "review-2026-11-16",
      "month-2026-11",
    ]);
    expect(periodsOfDay(MONDAY + 7 * DAY_MS).map(reportId)).toEqual([
      "compliance-2026-11-23",
      "review-2026-11-23",
      "month-2026-11",
    ]);
    const [november, december] = [Date.UTC(2026, 10), Date.UTC(2026, 11)];
    expect(periodOf("month", december - 1)).toEqual({ kind: "month", from: november, to: december });
    expect(periodOf("month", december)).toEqual({ kind: "month", from: december, to: Date.UTC(2027, 0) });
  });

  it("of a review begins on a Monday, also for times near the epoch", () => {
    fc.assert(
      fc.property(anyTime, (time) => {
        const monday = startOfWeek(time);
        expect(new Date(monday).getUTCDay()).toBe(1);
        expect(monday % DAY_MS === 0 && monday <= time && time < monday + 7 * DAY_MS).toBe(true);
      }),
    );
  });

  it("follows from its id and from each of its keys", () => {
    fc.assert(
      fc.property(anyTime, fc.constantFrom(...reportKinds), (time, kind) => {
        const period = periodOf(kind, time);
        expect(periodOfReportId(reportId(period))).toEqual(period);
        for (const key of [entryKey, contentKey, dueKey]) expect(periodOfKey(key(period))).toEqual(period);
      }),
    );
  });

  it.each([
    "",
    "compliance",
    "compliance-2026-02-30",
    "compliance-2026-11-21x",
    "review-2026-11-17",
    "secret-2026-11-21",
    "compliance#2026-11-21",
    "compliance-2026-13-01",
    "COMPLIANCE-2026-11-21",
    "constructor-2026-11-21",
    "month-2026-11-01",
    "month-2026-13",
    "month-2026",
    "compliance-2026-11",
  ])("cannot be parsed from %j", (id) => {
    expect(periodOfReportId(id)).toBeUndefined();
  });
});
