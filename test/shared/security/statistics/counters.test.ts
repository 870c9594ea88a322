import { describe, expect, it } from "@jest/globals";
import { statisticsOf } from "../../../../shared/security/monitoring/statistics.ts";
import { categories, eventTypes } from "../../../../shared/security/security-event.ts";
import { decodeCounters, encodeCounters, typeCodes } from "../../../../shared/security/statistics/counter-encoding.ts";
import {
  type CountedEvent,
  type Counter,
  type Counters,
  createTally,
  mergeCounters,
  selectCounters,
} from "../../../../shared/security/statistics/counters.ts";
import { isExact, isExpired, sumRollups } from "../../../../shared/security/statistics/rollup-store.ts";
import { isAtLeast, riskLevels } from "../../../../shared/terms/risk-levels.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { dayOf } from "../../../support/security-counters.ts";

const seed = 20_261_121;
const options = { seed, numRuns: 300 };

const names = [...Object.keys(eventTypes), "UNHEARD_OF", "__proto__", "constructor", "Ü 🌵", ""];
const event: fc.Arbitrary<CountedEvent> = fc.record({
  eventType: fc.constantFrom(...names),
  category: fc.constantFrom(...categories),
  riskLevel: fc.constantFrom(...riskLevels),
  success: fc.boolean(),
  ms: fc.option(fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.constantFrom(0.5, 12.25, 0.1)), { nil: undefined }),
});
const events = fc.array(event, { maxLength: 40 });

const count = (some: readonly CountedEvent[]): Counters => {
  const tally = createTally();
  for (const one of some) tally.add(one);
  return tally.counters();
};

describe("counters", () => {
  it("of parts add up to the counters of all events, in any order and grouping", () => {
    fc.assert(
      fc.property(events, events, events, (a, b, c) => {
        const [x, y, z] = [count(a), count(b), count(c)];
        const whole = count([...c, ...a, ...b]);
        expect(mergeCounters([x, y, z])).toEqual(whole);
        expect(mergeCounters([mergeCounters([z, y]), x])).toEqual(whole);
        expect(mergeCounters([z, mergeCounters([x, y])])).toEqual(whole);
        expect(mergeCounters([x, []])).toEqual(x);
      }),
      options,
    );
  });

  it("of a selection are the counters of the selected events", () => {
    const maybe = <Value>(values: readonly Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const filters = fc.record({
      eventType: maybe([...names, "NOBODY"]),
      category: maybe(categories),
      riskLevel: maybe(riskLevels),
    });
    fc.assert(
      fc.property(events, filters, (some, { eventType, category, riskLevel }) => {
        const selected = some.filter(
          (one) =>
            (eventType ?? one.eventType) === one.eventType &&
            (category ?? one.category) === one.category &&
            (riskLevel ?? one.riskLevel) === one.riskLevel,
        );
        expect(selectCounters(count(some), { eventType, category, riskLevel })).toEqual(count(selected));
      }),
      options,
    );
  });

  it("do not change when their tally is added to later", () => {
    const part = count([{ eventType: "DATA_READ", category: "data_access", riskLevel: "LOW", success: true }]);
    const tally = createTally();
    tally.addAll(part);
    const before = tally.counters();
    tally.addAll(part);
    expect([part[0]?.events, before[0]?.events, tally.counters()[0]?.events]).toEqual([1, 1, 2]);
  });

  it("count a negative duration as 0, and an extreme one as the maximum", () => {
    const timed = (ms: number) =>
      count([{ eventType: "X", category: "system", riskLevel: "LOW", success: true, ms }])[0]?.totalMicroseconds ?? -1;
    expect(timed(-5)).toBe(0);
    expect(timed(1e300)).toBe(timed(1e200));
    expect(Number.isSafeInteger(timed(1e300) * 2 + 1)).toBe(true);
    expect(
      mergeCounters(
        Array(5).fill(count([{ eventType: "X", category: "system", riskLevel: "LOW", success: true, ms: 1e300 }])),
      ),
    ).toMatchObject([{ totalMicroseconds: timed(1e300), timed: 5 }]);
  });
});

describe("the sum of rollups", () => {
  it("is exact until the first event of any of them expires, and stays until the last one does", () => {
    const rollups = [
      { counters: [], exactUntil: 2, expiresAt: 4 },
      { counters: [], exactUntil: 1, expiresAt: 5 },
      { counters: [], exactUntil: 3, expiresAt: 3 },
    ];
    expect(sumRollups(rollups)).toMatchObject({ exactUntil: 1, expiresAt: 5 });
    expect([isExact({ exactUntil: 1 }, 999), isExact({ exactUntil: 1 }, 1_000)]).toEqual([true, false]);
    expect([isExpired({ expiresAt: 1 }, 999), isExpired({ expiresAt: 1 }, 1_000)]).toEqual([false, true]);
  });
});

describe("statistics", () => {
  it("are the same as from counting the events", () => {
    fc.assert(
      fc.property(events, (some) => {
        const timed = some.flatMap(({ ms }) => (ms === undefined ? [] : [ms]));
        const { avgResponseTime, ...counts } = statisticsOf(new Map([[0, count(some)]]));
        expect(counts).toEqual({
          totalEvents: some.length,
          highRiskEvents: some.filter(({ riskLevel }) => isAtLeast(riskLevel, "HIGH")).length,
          failureRate: some.length === 0 ? 0 : some.filter(({ success }) => !success).length / some.length,
        });
        const mean = timed.length === 0 ? 0 : timed.reduce((a, b) => a + b, 0) / timed.length;
        expect(avgResponseTime).toBeCloseTo(mean, 6);
      }),
      options,
    );
  });
});

const number = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.maxSafeInteger().map(Math.abs));
const counter: fc.Arbitrary<Counter> = fc
  .record({
    eventType: fc.oneof(fc.constantFrom(...names), fc.string({ unit: "binary" })),
    category: fc.constantFrom(...categories),
    riskLevel: fc.constantFrom(...riskLevels),
    events: number,
    failures: number,
    timed: number,
    totalMicroseconds: fc.integer({ min: 0, max: Math.floor(Number.MAX_SAFE_INTEGER / 4) }),
  })
  .map((one) => ({
    ...one,
    failures: Math.min(one.failures, one.events),
    timed: Math.min(one.timed, one.events),
    totalMicroseconds: Math.min(one.timed, one.events) === 0 ? 0 : one.totalMicroseconds,
  }));

describe("encoded counters", () => {
  it("are the same after decoding", () => {
    fc.assert(
      fc.property(fc.array(counter, { maxLength: 30 }), (counters) => {
        expect(decodeCounters(encodeCounters(counters))).toEqual(counters);
      }),
      options,
    );
  });

  it("have a code for each event type", () => {
    expect(Object.keys(eventTypes).filter((name) => typeCodes[name] === undefined)).toEqual([]);
    const codes = Object.values(typeCodes);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.every((code) => Number.isInteger(code) && code > 0 && code < 256)).toBe(true);
  });

  it("are small, however many events they count", () => {
    expect(encodeCounters(dayOf(15, 11_111)).length).toBeLessThan(250);
    expect(encodeCounters(dayOf(15, 10_000_000)).length).toBeLessThan(250);
    expect(encodeCounters(dayOf(60, 11_111)).length).toBeLessThan(700);
  });

  it("are rejected if they are cut or of another version", () => {
    const bytes = encodeCounters(dayOf(3, 1_000));
    expect(() => decodeCounters(bytes.subarray(0, -1))).toThrow("Stored counters cannot be read");
    expect(() => decodeCounters(Uint8Array.of(2, ...bytes.subarray(1)))).toThrow("Stored counters cannot be read");
    expect(() => decodeCounters(new Uint8Array())).toThrow("Stored counters cannot be read");
    expect(() => decodeCounters(Uint8Array.of(1, 200, 0, 1))).toThrow("Stored counters cannot be read");
  });
});
