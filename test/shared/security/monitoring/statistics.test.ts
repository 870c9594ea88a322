import { expect, it } from "@jest/globals";
import { intervalsOf, requireIntervals, statisticsOf } from "../../../../shared/security/monitoring/statistics.ts";
import { type CountedEvent, createIntervalTally } from "../../../../shared/security/statistics/counters.ts";
import { DAY_MS, HOUR_MS } from "../../../../shared/terms/hours.ts";

const NOON = Date.UTC(2026, 10, 21, 12);

const event = { eventType: "DATA_READ", category: "data_access", riskLevel: "LOW", success: true } as const;

const countAt = (length: number, events: readonly [at: number, event: Partial<CountedEvent>][]) => {
  const tally = createIntervalTally(length);
  for (const [at, fields] of events) tally.at(at).add({ ...event, ...fields });
  return tally.intervals();
};

const nothing = { totalEvents: 0, failures: 0, highRiskEvents: 0, avgResponseTime: 0 };

it("counts each hour of a period, also those without events, from since to now", () => {
  const counted = countAt(HOUR_MS, [
    [NOON - 2.5 * HOUR_MS, { success: false, riskLevel: "CRITICAL", ms: 10 }],
    [NOON - 2.2 * HOUR_MS, { ms: 20 }],
    [NOON, {}],
  ]);
  const since = NOON - 2.75 * HOUR_MS;
  expect(intervalsOf(counted, HOUR_MS, { since }, NOON)).toEqual([
    { from: since, totalEvents: 2, failures: 1, highRiskEvents: 1, avgResponseTime: 15 },
    { from: NOON - 2 * HOUR_MS, ...nothing },
    { from: NOON - HOUR_MS, ...nothing },
    { from: NOON, ...nothing, totalEvents: 1 },
  ]);
  expect(statisticsOf(counted)).toEqual({ totalEvents: 3, highRiskEvents: 1, failureRate: 1 / 3, avgResponseTime: 15 });
});

it("ends before until, which may be in the future, and has no interval of an empty period", () => {
  const startsOf = (period: { since: number; until?: number }) =>
    intervalsOf(new Map(), DAY_MS, period, NOON).map(({ from }) => from);
  const day = NOON - DAY_MS / 2;
  expect(startsOf({ since: day, until: day + DAY_MS })).toEqual([day]);
  expect(startsOf({ since: day, until: day + DAY_MS + 1 })).toEqual([day, day + DAY_MS]);
  expect(startsOf({ since: NOON })).toEqual([NOON]);
  for (const period of [{ since: NOON + 1 }, { since: NOON, until: NOON }, { since: NOON + 1, until: NOON }]) {
    expect(startsOf(period)).toEqual([]);
  }
});

it("counts events that are ahead of the clock", () => {
  const counted = countAt(HOUR_MS, [[NOON + HOUR_MS, {}]]);
  expect(intervalsOf(counted, HOUR_MS, { since: NOON }, NOON).map(({ from }) => from)).toEqual([NOON, NOON + HOUR_MS]);
});

it.each([
  ["hour", 168 * HOUR_MS, HOUR_MS],
  ["day", 92 * DAY_MS, DAY_MS],
] as const)("refuses a period that is too long to be counted by %s", (interval, most, length) => {
  expect(requireIntervals(interval, { since: NOON - most }, NOON)).toBe(length);
  expect(requireIntervals(interval, { since: NOON, until: NOON + most }, NOON)).toBe(length);
  for (const period of [{ since: NOON - most - 1 }, { since: NOON, until: NOON + most + 1 }]) {
    expect(() => requireIntervals(interval, period, NOON)).toThrow(
      "interval: expected a period of at most 168 hours with hour, and of at most 92 days with day: a later since, or an earlier until",
    );
  }
});
