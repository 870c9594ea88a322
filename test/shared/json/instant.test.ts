import { describe, expect, it } from "@jest/globals";
import { instantParameter } from "../../../shared/json/instant.ts";
import { fc } from "../../support/fixed-seed.ts";

const parse = (text: string) => instantParameter("A time.").safeParse(text).data;

describe("a time in a query", () => {
  it.each([
    ["0", 0],
    ["1795219200000", 1_795_219_200_000],
    ["2026-11-21T00:00:00Z", 1_795_219_200_000],
    ["2026-11-21t00:00:00z", 1_795_219_200_000],
    ["2026-11-21T00:00:00.250Z", 1_795_219_200_250],
    ["2026-11-21T02:00:00+02:00", 1_795_219_200_000],
    ["2026-11-21T02:00:00 02:00", 1_795_219_200_000],
    ["2026-11-20T19:00:00-05:00", 1_795_219_200_000],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
    ["1970-01-01T00:00:00Z", 0],
  ])("%s is %i", (text, time) => {
    expect(parse(text)).toBe(time);
  });

  it.each([
    "-1",
    "1.5",
    "1e3",
    " 1",
    "now",
    "2026-11-21",
    "2026-11-21T00:00:00",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-21T24:30:00Z",
    "2026-11-21T24:00:00Z",
    "2026-11-21T00:00:00+25:00",
    "1969-12-31T23:59:59Z",
    "9".repeat(16),
  ])("%s is no time", (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it("is parsed from both formats", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (time) => {
        expect(parse(String(time))).toBe(time);
        expect(parse(new Date(time).toISOString())).toBe(time);
      }),
      { seed: 20_261_121 },
    );
  });
});
