import { describe, expect, it } from "@jest/globals";
import { compareObserved, laterObserved } from "../../../shared/records/observation.ts";
import { fc } from "../../support/fixed-seed.ts";
import { seen } from "../../support/records.ts";

describe("two times of observation", () => {
  it.each([
    [seen(11), seen(10), "newer"],
    [seen(9), seen(10), "older"],
    [seen(10), seen(10), "unordered"],
    [seen(13, 15), seen(10, 12), "newer"],
    [seen(12, 15), seen(10, 12), "unordered"],
    [seen(11, 11), seen(10, 12), "unordered"],
    [seen(8, 10), seen(10, 12), "unordered"],
    [seen(8, 9), seen(10, 12), "older"],
  ])("%j to %j is %s", (first, second, order) => {
    expect(compareObserved(first, second)).toBe(order);
  });

  it("are never ordered wrongly, wherever the exact moments lie within their ranges", () => {
    const interval = fc
      .tuple(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      )
      .map(([from, length, at]) => ({ ...seen(from, from + length), moment: from + at * length }));
    fc.assert(
      fc.property(interval, interval, (first, second) => {
        const order = compareObserved(first, second);
        if (order === "newer") expect(first.moment).toBeGreaterThan(second.moment);
        if (order === "older") expect(first.moment).toBeLessThan(second.moment);
        const { from, to } = laterObserved(first, second);
        const moment = Math.max(first.moment, second.moment);
        expect(from <= moment && moment <= to).toBe(true);
      }),
      { seed: 20_261_121, numRuns: 500 },
    );
  });
});
