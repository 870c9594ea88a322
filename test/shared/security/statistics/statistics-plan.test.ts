import { describe, expect, it } from "@jest/globals";
import {
  joinRanges,
  planStatistics,
  type StatisticsPlan,
} from "../../../../shared/security/statistics/count-selection.ts";
import {
  DAY_MS,
  dayName,
  END_OF_TIME_MS,
  HOUR_MS,
  hourName,
  startOfDay,
  startOfHour,
  timeOfName,
} from "../../../../shared/terms/hours.ts";
import { fc } from "../../../support/fixed-seed.ts";

const START = Date.UTC(2026, 1, 26);
const LAST = START + 6 * DAY_MS;

const time = fc.oneof(
  fc.integer({ min: START, max: LAST }),
  fc.integer({ min: START, max: LAST }).map(startOfHour),
  fc.integer({ min: START, max: LAST }).map(startOfDay),
);
const hours = fc
  .uniqueArray(fc.integer({ min: START, max: LAST }).map(startOfHour), { maxLength: 8 })
  .map((some) => some.sort((a, b) => a - b));

/** The sources that count a time. */
const sourcesOf = (plan: StatisticsPlan, open: readonly number[], at: number): string => {
  const [hour, day] = [startOfHour(at), startOfDay(at)];
  const { events, hours: spans, wholeDays, days } = plan;
  const sources = {
    events: events.some(({ from, to }) => at >= from && at < to),
    hour: spans.some(({ first, last }) => hour >= first && hour <= last) && !open.includes(hour),
    day: wholeDays !== undefined && day >= wholeDays.first && day <= wholeDays.last && !days.has(day),
  };
  return Object.entries(sources)
    .filter(([, counts]) => counts)
    .map(([source]) => source)
    .join(" and ");
};

const from = (since: number) => ({ from: since, to: END_OF_TIME_MS });

describe("the plan of statistics", () => {
  it.each([
    ["day", DAY_MS, /^(events|hour|day)$/],
    ["hour", HOUR_MS, /^(events|hour)$/],
  ] as const)(
    "by %s counts each time of the period once, open hours by their events, and no other time",
    (_, length, rollups) => {
      fc.assert(
        fc.property(time, fc.oneof(time, fc.constant(END_OF_TIME_MS)), hours, (one, other, open) => {
          const [since, until] = [Math.min(one, other), Math.max(one, other)];
          fc.pre(since < until);
          const plan = planStatistics({ from: since, to: until }, open, length);
          const wrong: string[] = [];
          for (let hour = START - HOUR_MS; hour <= LAST + DAY_MS; hour += HOUR_MS) {
            const edges = [since, until].flatMap((edge) => (startOfHour(edge) === hour ? [edge, edge - 1] : []));
            for (const at of [hour, hour + 1, hour + HOUR_MS - 1, ...edges]) {
              const sources = sourcesOf(plan, open, at);
              const isOpen = open.includes(startOfHour(at));
              const isRight =
                at < since || at >= until ? sources === "" : isOpen ? sources === "events" : rollups.test(sources);
              if (!isRight) wrong.push(`${new Date(at).toISOString()}: ${sources}`);
            }
          }
          expect(wrong).toEqual([]);
        }),
        { seed: 20_261_121, numRuns: 200 },
      );
    },
  );

  it("reads events of a closed hour only if `since` cuts the hour", () => {
    const since = START + 5 * HOUR_MS + 1;
    const open = [START + 3 * DAY_MS];
    const { events, hours: spans, wholeDays } = planStatistics(from(since), open);
    expect(events).toEqual([
      { from: since, to: START + 6 * HOUR_MS },
      { from: START + 3 * DAY_MS, to: START + 3 * DAY_MS + HOUR_MS },
    ]);
    expect(spans).toEqual([
      { first: START + 6 * HOUR_MS, last: START + 23 * HOUR_MS },
      { first: START + 3 * DAY_MS, last: START + 3 * DAY_MS + 23 * HOUR_MS },
    ]);
    expect(wholeDays?.first).toBe(START + DAY_MS);
    expect(planStatistics(from(0), [])).toMatchObject({ events: [], hours: [] });
  });

  it("reads no rollup beyond `until`, and events of a closed hour only if `until` cuts the hour", () => {
    const until = START + 2 * DAY_MS + 3 * HOUR_MS;
    expect(planStatistics({ from: START, to: until }, [])).toEqual({
      wholeDays: { first: START, last: START + DAY_MS },
      days: new Set([START + 2 * DAY_MS]),
      hours: [{ first: START + 2 * DAY_MS, last: until - HOUR_MS }],
      events: [],
    });
    expect(planStatistics({ from: START, to: until + 1 }, []).events).toEqual([{ from: until, to: until + 1 }]);
  });

  it("reads adjacent periods with one query", () => {
    expect(joinRanges([0, 1, 2, 5, 6, 9], 1)).toEqual([
      { from: 0, to: 3 },
      { from: 5, to: 7 },
      { from: 9, to: 10 },
    ]);
    const today = START + DAY_MS;
    expect(planStatistics(from(START + HOUR_MS), [today, today + HOUR_MS]).hours).toEqual([
      { first: START + HOUR_MS, last: today + 23 * HOUR_MS },
    ]);
  });
});

describe("names of hours and days", () => {
  it("can be parsed back and sort by time", () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        expect(timeOfName(hourName(a))).toBe(startOfHour(a));
        expect(timeOfName(dayName(a))).toBe(startOfDay(a));
        expect(hourName(a) < hourName(b)).toBe(startOfHour(a) < startOfHour(b));
      }),
    );
  });
});
