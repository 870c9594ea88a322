import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createFloodCounter } from "../../../shared/security/flood.ts";

const recordsOf = (failures: number, everyMs: number, user: (i: number) => string | undefined = () => "ada") => {
  const count = createFloodCounter();
  return Array.from({ length: failures }, (_, i) => ({
    at: i + 1,
    verdict: count("address", user(i), i * everyMs),
  })).filter(({ verdict }) => verdict.record !== "nothing");
};

describe("a flood", () => {
  it("causes five records and then a count at each power of ten", () => {
    expect(recordsOf(10_000, 6).map(({ at, verdict }) => [at, verdict])).toEqual([
      ...[1, 2, 3, 4, 5].map((at) => [at, { record: "single" }]),
      [10, { record: "count", failures: 5, users: 1 }],
      [100, { record: "count", failures: 90, users: 1 }],
      [1_000, { record: "count", failures: 900, users: 1 }],
      [10_000, { record: "count", failures: 9_000, users: 1 }],
    ]);
  });

  it("counts every failure between its records", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), (failures) => {
        const records = recordsOf(failures, 1);
        const counted = records.reduce(
          (sum, { verdict }) => sum + (verdict.record === "count" ? verdict.failures : 1),
          0,
        );
        expect(counted).toBe(records.at(-1)?.at);
        expect(failures).toBeLessThan(Math.max(6, (records.at(-1)?.at ?? 0) * 10));
      }),
      { seed: 20_261_121 },
    );
  });

  it("counts the distinct users since the last record", () => {
    const [last] = recordsOf(10, 1, (i) => (i < 5 ? "early" : `user-${i % 3}`)).slice(-1);
    expect(last?.verdict).toEqual({ record: "count", failures: 5, users: 3 });
  });

  it("starts again only after a minute without failures", () => {
    const count = createFloodCounter();
    const at = (now: number) => count("address", undefined, now).record;
    for (let now = 0; now < 5; now++) expect(at(now)).toBe("single");
    expect(at(60_003)).toBe("nothing");
    expect(at(120_002)).toBe("nothing");
    expect(at(180_002)).toBe("single");
  });

  it("is counted per key; the least recently used key is removed first", () => {
    const count = createFloodCounter();
    for (let i = 0; i < 6; i++) count("busy", undefined, i);
    expect(count("other", undefined, 6).record).toBe("single");
    for (let i = 0; i < 998; i++) count(`key-${i}`, undefined, 7);
    expect(count("busy", undefined, 8).record).toBe("nothing");
    for (let i = 0; i < 1_000; i++) count(`more-${i}`, undefined, 9);
    expect(count("busy", undefined, 10).record).toBe("single");
  });
});
