import { describe, expect, it } from "@jest/globals";
import { canonicalJson } from "../../../shared/evidence/canonical-json.ts";

describe("canonical JSON", () => {
  it("writes the example of RFC 8785, 3.2.3", () => {
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000_000_000_000_000_000_000_000_001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts members by the UTF-16 units of their names, as RFC 8785, 3.2.3 shows", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
    expect([...canonicalJson(value).matchAll(/:(\d)/g)].map(([, number]) => Number(number))).toEqual([
      2, 4, 6, 7, 1, 5, 3,
    ]);
  });

  it.each([
    [9_007_199_254_740_991n, "9007199254740991"],
    [9_007_199_254_740_992n, '"9007199254740992"'],
    [-9_007_199_254_740_993n, '"-9007199254740993"'],
    [12_345_678_901_234_567_000, '"12345678901234567000"'],
    [1e21, "1e+21"],
    [-0, "0"],
    [{ a: undefined, b: [] }, '{"b":[]}'],
  ])("writes %p as %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it.each([[Number.NaN], [undefined], ["\ud800"], [{ "\ud800": 1 }], [() => 1]])("refuses %p", (value) => {
    expect(() => canonicalJson(value)).toThrow();
  });
});
