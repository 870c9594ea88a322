import { describe, expect, it } from "@jest/globals";
import {
  type DayReading,
  type DaySums,
  daysToSum,
  type HourNumbers,
  isWhole,
  lastSummedDay,
  rulesOf,
  sumDay,
  withEarlierJudging,
} from "../../../shared/completeness/day-sums.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { fc } from "../../support/fixed-seed.ts";

const DAY = Date.UTC(2026, 10, 21);
const AT = (hour: number): number => DAY + hour * HOUR_MS;

/** A day whose hours have as many events as given, everywhere. */
const dayOf = (counts: readonly number[], changed: Partial<DayReading> = {}): DayReading => ({
  day: DAY,
  hours: new Map(
    counts.map((count, hour): [number, HourNumbers] => [
      AT(hour),
      { recorded: count, counted: count, sealed: count, archived: count, fed: count },
    ]),
  ),
  events: new Map(counts.map((count, hour) => [AT(hour), count])),
  judged: new Map(),
  due: [],
  ...changed,
});

describe("the last day that is over", () => {
  it.each([
    [AT(24), "2026-11-20"],
    [AT(27) - 1, "2026-11-20"],
    [AT(27), "2026-11-21"],
    [AT(51) - 1, "2026-11-21"],
  ])("at %d is %s", (now, name) => {
    expect(new Date(lastSummedDay(now)).toISOString().slice(0, 10)).toBe(name);
  });
});

const places = ["recorded", "counted", "sealed", "archived", "fed"] as const;

describe("the sums of a day", () => {
  it("are those of its hours, and equal if nothing is lost", () => {
    const sums = sumDay(dayOf([2, 0, 5]));
    expect(sums).toMatchObject({ recorded: 7, counted: 7, sealed: 7, archived: 7, fed: 7 });
    expect(isWhole(sums)).toBe(true);
  });

  it("leave out what the deployment or the organization has not", () => {
    const hours = new Map([[AT(3), { recorded: 2, counted: 2, sealed: 2 }]]);
    const sums = sumDay(dayOf([], { hours }));
    expect(sums).toMatchObject({ recorded: 2, archived: 0 });
    expect(sums).not.toHaveProperty("fed");
    expect(isWhole(sums)).toBe(true);
  });

  it("compare the feed only in the hours in which it was on", () => {
    const hours = new Map([
      [AT(3), { recorded: 2, counted: 2, sealed: 2, archived: 2 }],
      [AT(4), { recorded: 1, counted: 1, sealed: 1, archived: 1, fed: 1 }],
    ]);
    expect(sumDay(dayOf([], { hours }))).toMatchObject({ recorded: 3, fed: 1, problem: undefined });
  });

  it("are equal if and only if no place has lost, or gained, an event", () => {
    const losses = fc.record({
      counts: fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 24 }),
      at: fc.nat(),
      place: fc.constantFrom(...places),
      change: fc.integer({ min: -50, max: 50 }),
    });
    fc.assert(
      fc.property(losses, ({ counts, at, place, change }) => {
        const reading = dayOf(counts);
        const hour = AT(at % counts.length);
        const before = reading.hours.get(hour);
        if (before === undefined) throw new Error("The day has no such hour.");
        const number = Math.max(0, (before[place] ?? 0) + change);
        const sums = sumDay({ ...reading, hours: new Map(reading.hours).set(hour, { ...before, [place]: number }) });
        expect(isWhole(sums)).toBe(number === before[place]);
        if (!isWhole(sums)) expect(sums.problem).toContain(new Date(hour).toISOString().slice(0, 16));
      }),
    );
  });

  it("are unequal if one hour has lost what another has gained", () => {
    const reading = dayOf([3, 3]);
    const hours = new Map(reading.hours);
    hours.set(AT(0), { recorded: 3, counted: 3, sealed: 4, archived: 3 });
    hours.set(AT(1), { recorded: 3, counted: 3, sealed: 2, archived: 3 });
    const sums = sumDay({ ...reading, hours });
    expect(sums).toMatchObject({ recorded: 6, sealed: 6 });
    expect(sums.problem).toBe(
      "Events of the hour 2026-11-21T00:00Z: 3 recorded, 3 counted, 4 sealed, 3 archived. 1 more hours are unequal.",
    );
  });

  it("are unequal if the statistics of the day differ from those of its hours", () => {
    const sums = sumDay(dayOf([3, 4], { dayCounted: 6 }));
    expect(sums).toMatchObject({
      counted: 6,
      problem: "The statistics count 6 events in the day, and 7 in its hours.",
    });
    expect(isWhole(sumDay(dayOf([3, 4], { dayCounted: 7 })))).toBe(true);
  });
});

describe("the judging of a day", () => {
  const judged = new Map([
    [AT(1), { burst: 2, silence: 1 }],
    [AT(2), { burst: 3, silence: 1 }],
  ]);

  it("names the versions of the rules, and of each other hour why it was not judged", () => {
    const sums = sumDay(dayOf([4, 1, 0, 2], { judged, due: [AT(3)] }));
    expect(sums.rules).toEqual({ burst: [2, 3], silence: [1] });
    expect(sums.notJudged).toEqual({
      not_judged: [0],
      due: [3],
      no_events: Array.from({ length: 20 }, (_, index) => index + 4),
    });
  });

  it("has every hour of the day once", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 23 })), fc.uniqueArray(fc.nat({ max: 23 })), (hours, due) => {
        const reading = dayOf([1, 2], { judged: new Map(hours.map((hour) => [AT(hour), {}])), due: due.map(AT) });
        const open = Object.values(sumDay(reading).notJudged).flat();
        expect([...open, ...hours].sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
      }),
    );
  });

  it("stays what it was when an erasure has removed what said so", () => {
    const before = sumDay(dayOf([4, 1, 1], { judged }));
    const after = withEarlierJudging(sumDay(dayOf([4, 1, 1])), before);
    expect(after.notJudged).toEqual(before.notJudged);
    expect(after.rules).toEqual(before.rules);
    expect(withEarlierJudging(before, undefined)).toBe(before);
  });

  it("joins the rules of several days", () => {
    const other = { rules: { burst: [4], money: [1] } };
    expect(rulesOf([sumDay(dayOf([], { judged })), other])).toEqual({ burst: [2, 3, 4], money: [1], silence: [1] });
  });
});

describe("the days of a night", () => {
  const sumsOf = (counted: number, problem?: string): DaySums => ({
    recorded: counted,
    counted,
    sealed: counted,
    archived: counted,
    notJudged: {},
    rules: {},
    problem,
  });
  const days = Array.from({ length: 10 }, (_, index) => DAY + index * DAY_MS);
  const stored = new Map(days.map((day) => [day, sumsOf(5)]));
  const countedNow = new Map(days.map((day) => [day, 5]));
  const rotating = (last: number): number => (last / DAY_MS) % 10;

  it("are the last two and another one each night, if nothing has changed", () => {
    const expected = [rotating(days[9] ?? 0), 8, 9].map((index) => days[index]);
    expect(daysToSum(days, stored, countedNow)).toEqual([...new Set(expected)]);
    const nights = Array.from({ length: 10 }, (_, night) => days.map((day) => day + night * DAY_MS));
    const found = nights.map((some) => {
      const all = new Map(some.map((day) => [day, sumsOf(5)]));
      return some.indexOf(daysToSum(some, all, new Map())[0] ?? 0);
    });
    expect([...new Set(found)]).toHaveLength(9);
  });

  it.each([
    ["has no sums", new Map([...stored].filter(([day]) => day !== days[3])), countedNow],
    ["is unequal", new Map(stored).set(days[3] ?? 0, sumsOf(5, "unequal")), countedNow],
    ["counts further events", stored, new Map(countedNow).set(days[3] ?? 0, 6)],
  ])("include one that %s", (_, sums, now) => {
    expect(daysToSum(days, stored, countedNow)).not.toContain(days[3]);
    expect(daysToSum(days, sums, now)).toContain(days[3]);
  });

  it("are none without days", () => {
    expect(daysToSum([], new Map(), new Map())).toEqual([]);
  });
});
