import { describe, expect, it } from "@jest/globals";
import { endOf, isWithin, nextDaily, nextTimeOfDay } from "../../../shared/terms/zoned-time.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const at = (time: string): number => Date.parse(time);
const shown = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().replace(":00.000Z", "Z");

/** Changes of the clock: by an hour, by half an hour, by two, at midnight, over the date line, and none. */
const zones = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Antarctica/Troll",
  "America/Havana",
  "Africa/Casablanca",
  "America/St_Johns",
  "Asia/Kolkata",
  "Pacific/Chatham",
  "Pacific/Apia",
  "UTC",
] as const;

/** Minutes since midnight, and the date, as the zone's clock shows them: another way than the code's. */
const clocks = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "short", timeStyle: "short" }),
  ]),
);
const clockAt = (time: number, zone: (typeof zones)[number]) => {
  const [date = "", clock = ""] = clocks.get(zone)?.format(time).split(", ") ?? [];
  const [hour = 0, minute = 0] = clock.split(":").map(Number);
  return { date, minutes: hour * 60 + minute };
};

const timeOfDay = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Whole minutes, half of them in the weeks in which clocks change. */
const minute = fc
  .oneof(
    fc.integer({ min: at("2024-01-01T00:00Z") / MINUTE, max: at("2031-01-01T00:00Z") / MINUTE }),
    fc
      .tuple(
        fc.constantFrom(
          "2026-03-08T00:00Z",
          "2026-03-29T00:00Z",
          "2026-04-05T00:00Z",
          "2026-10-04T00:00Z",
          "2026-10-25T00:00Z",
          "2026-11-01T00:00Z",
        ),
        fc.integer({ min: -24 * 60, max: 24 * 60 }),
      )
      .map(([day, offset]) => at(day) / MINUTE + offset),
  )
  .map((minutes) => minutes * MINUTE);

describe("the next time of day", () => {
  it.each([
    ["later the same day", "2026-11-21T10:00Z", "12:30", "Europe/Berlin", "2026-11-21T11:30Z"],
    ["a day later, if it is now", "2026-11-21T11:30Z", "12:30", "Europe/Berlin", "2026-11-22T11:30Z"],
    ["over midnight", "2026-11-21T22:30Z", "08:00", "Asia/Kolkata", "2026-11-22T02:30Z"],
    ["when the clock is set forward over it", "2026-03-28T12:00Z", "02:30", "Europe/Berlin", "2026-03-29T01:00Z"],
    ["when the clock is set forward to it", "2026-03-28T12:00Z", "03:00", "Europe/Berlin", "2026-03-29T01:00Z"],
    ["the first of two", "2026-10-24T12:00Z", "02:30", "Europe/Berlin", "2026-10-25T00:30Z"],
    ["the second of two, after the first", "2026-10-25T00:30Z", "02:30", "Europe/Berlin", "2026-10-25T01:30Z"],
    ["after the clock was set back before it", "2026-10-25T00:59Z", "03:00", "Europe/Berlin", "2026-10-25T02:00Z"],
    ["when the clock is set forward at midnight", "2026-03-07T20:00Z", "00:00", "America/Havana", "2026-03-08T05:00Z"],
  ])("is %s", (_, after, time, zone, next) => {
    expect(shown(nextTimeOfDay(at(after), time, zone))).toBe(next);
  });

  it("is the first minute at which the clock shows it or has jumped over it, in any zone", () => {
    fc.assert(
      fc.property(minute, timeOfDay, fc.constantFrom(...zones), (after, time, zone) => {
        const target = minutesOf(time);
        let expected = after;
        let reached = false;
        for (let before = clockAt(after, zone); !reached; ) {
          expected += MINUTE;
          const { date, minutes } = clockAt(expected, zone);
          const passed = (minutes - before.minutes + 1_440) % 1_440;
          // More than half a day forward is a clock that was set back.
          reached = passed < 720 && (minutes - target + 1_440) % 1_440 < passed;
          before = { date, minutes };
        }
        expect(shown(nextTimeOfDay(after, time, zone))).toBe(shown(expected));
      }),
      { numRuns: depth(15, 150) },
    );
  });
});

describe("a daily time", () => {
  it("comes once on a date on which the clock shows it twice", () => {
    const first = nextDaily(at("2026-10-24T12:00Z"), "02:30", "Europe/Berlin");
    expect(shown(first)).toBe("2026-10-25T00:30Z");
    expect(shown(nextDaily(first, "02:30", "Europe/Berlin"))).toBe("2026-10-26T01:30Z");
  });

  it("comes once on each date, in any zone", () => {
    fc.assert(
      fc.property(minute, timeOfDay, fc.constantFrom(...zones), (start, time, zone) => {
        const found: string[] = [];
        let now = start;
        for (let day = 0; day < 5; day++) {
          const next = nextDaily(now, time, zone);
          expect(next - now).toBeLessThanOrEqual(DAY + 2 * HOUR);
          now = next;
          found.push(clockAt(now, zone).date);
        }
        expect(new Set(found).size).toBe(5);
        expect(now - start).toBeLessThanOrEqual(5 * DAY + 2 * HOUR);
      }),
      { numRuns: depth(30, 300) },
    );
  });
});

describe("hours of the day", () => {
  const night = { from: "22:00", to: "07:00", timeZone: "Europe/Berlin" };
  const noon = { from: "12:00", to: "13:00", timeZone: "Europe/Berlin" };

  it.each([
    ["2026-11-21T20:59Z", night, false],
    ["2026-11-21T21:00Z", night, true],
    ["2026-11-22T05:59Z", night, true],
    ["2026-11-22T06:00Z", night, false],
    ["2026-07-21T20:00Z", night, true],
    ["2026-11-21T11:00Z", noon, true],
    ["2026-11-21T12:00Z", noon, false],
  ])("contain their beginning and not their end: %s", (time, hours, expected) => {
    expect(isWithin(at(time), hours)).toBe(expected);
  });

  it.each([
    ["in a night of nine hours", "2026-11-21T22:00Z", night, "2026-11-22T06:00Z"],
    ["in a night that is an hour shorter", "2026-03-28T22:00Z", night, "2026-03-29T05:00Z"],
    ["in a night that is an hour longer", "2026-10-24T22:00Z", night, "2026-10-25T06:00Z"],
    ["if the clock is set forward over the end", "2026-03-29T00:10Z", { ...night, to: "02:30" }, "2026-03-29T01:00Z"],
    [
      "if the clock jumps over the hours between",
      "2026-03-28T23:00Z",
      { ...night, from: "03:00", to: "02:30" },
      "2026-03-30T00:30Z",
    ],
  ])("end %s", (_, time, hours, end) => {
    expect(isWithin(at(time), hours)).toBe(true);
    expect(shown(endOf(hours, at(time)))).toBe(end);
  });

  it("end outside of themselves and within a day, or 25 hours if the clock is set back", () => {
    fc.assert(
      fc.property(minute, timeOfDay, timeOfDay, fc.constantFrom(...zones), (time, from, to, timeZone) => {
        const hours = { from, to, timeZone };
        fc.pre(from !== to && isWithin(time, hours));
        const end = endOf(hours, time);
        expect(end).toBeGreaterThan(time);
        expect(isWithin(end, hours)).toBe(false);
        expect(end - time).toBeLessThanOrEqual(2 * DAY + 2 * HOUR);
      }),
      { numRuns: depth(50, 500) },
    );
  });
});
