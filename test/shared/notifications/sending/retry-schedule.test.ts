import { describe, expect, it } from "@jest/globals";
import { hasFailedForLong, pauseAfter } from "../../../../shared/notifications/sending/retry-schedule.ts";
import { fc } from "../../../support/fixed-seed.ts";

const NOW = Date.UTC(2026, 10, 22, 21, 0);
const HOUR_MS = 3_600_000;
const SCHEDULE_S = [5, 60, 300, 1_800, 7_200, 18_000, 25_200, 32_400];
const pauseOf = (tries: number, retryAfter?: string, id = "01D") => pauseAfter(id, { tries, retryAfter, now: NOW });

describe("pauseAfter", () => {
  it("grows over about 24 hours, within a tenth of the schedule, and ends", () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        const pauses = SCHEDULE_S.map((_, index) => pauseOf(index + 1, undefined, id) ?? 0);
        for (const [index, seconds] of SCHEDULE_S.entries())
          expect(Math.abs((pauses[index] ?? 0) / 1_000 / seconds - 1)).toBeLessThanOrEqual(0.1001);
        expect(pauses.reduce((sum, pause) => sum + pause, 0) / HOUR_MS).toBeGreaterThan(21);
        expect(pauseOf(SCHEDULE_S.length + 1, undefined, id)).toBeUndefined();
      }),
    );
  });

  it("is the same for the same delivery and try, and another for another", () => {
    expect(pauseOf(3)).toBe(pauseOf(3));
    expect(pauseOf(3, undefined, "01E")).not.toBe(pauseOf(3));
  });

  it.each([
    ["120", 120_000],
    [" 120 ", 120_000],
    ["Sun, 22 Nov 2026 21:10:00 GMT", 600_000],
    ["Sunday, 22-Nov-26 21:10:00 GMT", 600_000],
    ["999999999", 11 * HOUR_MS],
    ["9999999999", 11 * HOUR_MS],
    ["9".repeat(400), 11 * HOUR_MS],
    ["Fri, 31 Dec 2100 23:59:59 GMT", 11 * HOUR_MS],
  ])("respects Retry-After %j", (retryAfter, expected) => expect(pauseOf(1, retryAfter)).toBe(expected));

  it.each([
    "0",
    "1",
    "-5",
    "1.5",
    "soon",
    "",
    "1e9",
    "2026-11-23",
    "-99999999999",
    "Sun, 22 Nov 2026 20:00:00 GMT",
    "Sun, 99",
  ])("keeps its own pause for Retry-After %j", (retryAfter) => expect(pauseOf(1, retryAfter)).toBe(pauseOf(1)));

  it("ends after the last try whatever Retry-After asks for", () => expect(pauseOf(9, "60")).toBeUndefined());
});

describe("hasFailedForLong", () => {
  it.each([
    [undefined, false],
    [NOW, false],
    [NOW - 5 * 24 * HOUR_MS + 1, false],
    [NOW - 5 * 24 * HOUR_MS, true],
    [NOW - 30 * 24 * HOUR_MS, true],
  ])("since %p: %p", (since, expected) => expect(hasFailedForLong(since, NOW)).toBe(expected));
});
