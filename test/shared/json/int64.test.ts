import { describe, expect, it } from "@jest/globals";
import { encodeJson } from "../../../shared/json/encode-json.ts";
import { INT64_MAX, INT64_MIN, Int64, Int64Parameter, parseExactInteger } from "../../../shared/json/int64.ts";
import { reviveExactly } from "../../../shared/json/revive-exactly.ts";
import { fc } from "../../support/fixed-seed.ts";

const seed = 20_261_121;
const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

describe("parseExactInteger", () => {
  it.each([
    ["0", 0n],
    ["-0", 0n],
    ["0.000", 0n],
    ["0e999999999", 0n],
    ["1.0", 1n],
    ["1e3", 1000n],
    ["1.5e1", 15n],
    ["1200e-2", 12n],
    ["9007199254740993", 9007199254740993n],
    ["9007199254740993.0", 9007199254740993n],
    ["9.007199254740993e15", 9007199254740993n],
    ["-9223372036854775808", INT64_MIN],
    ["9223372036854775808", 9223372036854775808n],
  ])("%s is %s", (source, value) => {
    expect(parseExactInteger(source)).toBe(value);
  });

  it.each(["1.5", "1e-1", "1.0000000000000000001", "1e-400", "1e999999999", "1e19", "12345678901234567890", "x", "+1"])(
    "%s is no integer of at most 19 digits",
    (source) => {
      expect(parseExactInteger(source)).toBeUndefined();
    },
  );

  it("agrees with BigInt on every spelling of every int64", () => {
    const zeros = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(int64, zeros, zeros, (value, fraction, shift) => {
        const digits = `${value}`;
        expect(parseExactInteger(digits)).toBe(value);
        expect(parseExactInteger(`${digits}.${"0".repeat(fraction + 1)}`)).toBe(value);
        expect(parseExactInteger(`${digits}${"0".repeat(shift)}e-${shift}`)).toBe(value);
      }),
      { seed },
    );
  });
});

describe("a body's int64", () => {
  const parse = (json: string) => Int64.safeParse(JSON.parse(json, reviveExactly));

  it("survives from JSON text to JSON text without loss", () => {
    fc.assert(
      fc.property(int64, (value) => {
        const result = parse(String(value));
        expect(result.success && encodeJson({ id: result.data })).toBe(`{"id":${value}}`);
      }),
      { seed },
    );
  });

  it.each(["9223372036854775808", "-9223372036854775809", "1.5", '"1"', "true", "null", "1e300", "1e-400", "[]"])(
    "is not %s",
    (json) => {
      expect(parse(json).success).toBe(false);
    },
  );

  it("causes an error that names the expected value", () => {
    expect(parse('"1"').error?.issues[0]?.message).toBe(
      "expected an integer between -9223372036854775808 and 9223372036854775807",
    );
  });
});

describe("a path's int64", () => {
  it.each([
    ["7", 7n],
    ["-7", -7n],
    ["007", 7n],
    ["9223372036854775807", INT64_MAX],
  ])("reads %s", (text, value) => {
    expect(Int64Parameter.parse(text)).toBe(value);
  });

  it.each(["", "x", "+1", "1.0", "1e3", " 1", "9223372036854775808", "0x10", "--1", "٣"])("refuses %p", (text) => {
    expect(Int64Parameter.safeParse(text).success).toBe(false);
  });
});

describe("reviveExactly", () => {
  it("leaves other numbers as they are", () => {
    expect(JSON.parse('{"a":1.5,"b":[1e300],"c":"1"}', reviveExactly)).toEqual({ a: 1.5, b: [1e300], c: "1" });
  });

  it.each(['"\\ud800"', '{"\\udc00":1}', '["ok","a\\ud83d"]'])("refuses the lone surrogate in %s", (json) => {
    expect(() => JSON.parse(json, reviveExactly)).toThrow("not well-formed Unicode");
  });

  it("throws if the parser does not pass the source text", () => {
    expect(() => reviveExactly("id", 1)).toThrow("does not pass the source text");
  });
});
