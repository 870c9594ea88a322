import { describe, expect, it } from "@jest/globals";
import { parseQuery } from "../../../shared/http/parse-request.ts";

const names = ["limit", "cursor"];

describe("parseQuery", () => {
  it.each([
    ["", {}],
    ["limit=2", { limit: "2" }],
    ["limit=2&unknown=%zz&also", { limit: "2" }],
    ["cursor=a%2Bb+c=d", { cursor: "a+b c=d" }],
    ["%6Cimit=2", { limit: "2" }],
    ["Limit=2", {}],
  ])("reads %p", (query, expected) => {
    expect(parseQuery(query, names, true)).toEqual(expected);
  });

  it.each([
    ["limit=1&limit=1", "limit: expected to be given once"],
    ["limit", "limit: expected a value"],
    ["limit=", "limit: expected a value"],
    ["cursor=%zz", "cursor: expected well-formed percent-encoding"],
    ["cursor=%ff", "cursor: expected well-formed percent-encoding"],
  ])("refuses %p", (query, message) => {
    expect(() => parseQuery(query, names)).toThrow(message);
  });

  it.each([
    ["limit=2&offset=3", "offset: unknown parameter, expected one of limit, cursor"],
    ["Limit=2", "Limit: unknown parameter"],
    ["%zz=1", "%zz: unknown parameter"],
    ["=1", ": unknown parameter"],
  ])("refuses the unknown parameter of %p", (query, message) => {
    expect(() => parseQuery(query, names)).toThrow(message);
  });

  it("accepts empty parts", () => {
    expect(parseQuery("&limit=2&", names)).toEqual({ limit: "2" });
    expect(() => parseQuery("limit=2", [])).toThrow("limit: unknown parameter, expected no query parameter");
  });

  it("ignores names of the object's prototype", () => {
    expect(parseQuery("toString=1", ["toString"])).toEqual({ toString: "1" });
  });
});
